// SPDX-License-Identifier: Apache-2.0
// tests/bench/programs/optimizers.cc: seconds of a step of an optimizer over the matrices of a
// decoder of six layers 384 wide, 10.6 million f32 numbers in 24 tensors, with a gradient each.
// Asked by tests/bench/optimizers.py, one line at a time, so that it can ask others in between.
//
// usage    bench_optimizers SECONDS    measures each for so long, with TENON_THREADS threads
// asked    tenon.adam [NAME=NUMBER...] hyper-parameters; those not named have their defaults
// answers  {"step": s} or {"missing": "tenon.nosuch"}
#include <iostream>
#include <sstream>
#include <string>

#include "tests/bench/programs/session.h"

namespace {

using namespace tenon::bench;

constexpr int64_t kLayers = 6, kWidth = 384;
constexpr int64_t kShapes[][2] = {
    {3 * kWidth, kWidth}, {kWidth, kWidth}, {4 * kWidth, kWidth}, {kWidth, 4 * kWidth}};

class Model {
 public:
  explicit Model(const Runtime& runtime) : runtime_(runtime) {
    for (int64_t layer = 0; layer < kLayers; ++layer) {
      for (const auto& shape : kShapes) {
        tenon_tensor* const weight = make(shape, 0.1F);
        tenon_tensor* const grad = make(shape, 0.01F);
        runtime_.require(tenon_tensor_set_requires_grad(runtime_.context, weight, 1));
        runtime_.require(tenon_tensor_set_grad(runtime_.context, weight, grad));
        tenon_tensor_release(grad);
        weights_.push_back(weight);
      }
    }
  }
  ~Model() {
    for (tenon_tensor* each : weights_) tenon_tensor_release(each);
  }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const std::vector<tenon_tensor*>& weights() const { return weights_; }

 private:
  // Numbers in [-scale, scale).
  tenon_tensor* make(const int64_t (&shape)[2], float scale) {
    std::vector<float> values(static_cast<size_t>(shape[0] * shape[1]));
    for (float& value : values) {
      state_ = state_ * 1664525U + 1013904223U;
      value = (static_cast<float>(state_ >> 8) / (1 << 23) - 1) * scale;
    }
    tenon_tensor* made = nullptr;
    runtime_.require(tenon_tensor_create_from(runtime_.context, TENON_DTYPE_F32, nullptr, 2, shape,
                                              values.data(), values.size() * sizeof(float), &made));
    return made;
  }

  const Runtime& runtime_;
  std::vector<tenon_tensor*> weights_;
  uint32_t state_ = 1;
};

void answer(const Runtime& runtime, const std::string& line, double seconds) {
  std::istringstream words(line);
  std::string name;
  words >> name;
  std::vector<std::string> texts;
  std::vector<tenon_value> values;
  for (std::string word; words >> word;) {
    const size_t equals = std::min(word.find('='), word.size());
    tenon_value& value = values.emplace_back();
    value.tag = TENON_VALUE_F64;
    value.as.f64 = std::atof(word.c_str() + std::min(equals + 1, word.size()));
    texts.push_back(word.substr(0, equals));
  }
  std::vector<tenon_string> names;
  for (const std::string& text : texts) names.push_back({text.data(), text.size()});

  const Model model(runtime);
  tenon_optimizer* optimizer = nullptr;
  const tenon_status status =
      tenon_optimizer_create(runtime.context, name.data(), name.size(), model.weights().data(),
                             static_cast<uint32_t>(model.weights().size()), names.data(),
                             values.data(), static_cast<uint32_t>(values.size()), &optimizer);
  if (status == TENON_E_NOT_FOUND) {
    std::printf("{\"missing\": \"%s\"}\n", name.c_str());
    return;
  }
  runtime.require(status);
  const double step = seconds_of(
      seconds, [&] { runtime.require(tenon_optimizer_run(runtime.context, optimizer, 0)); });
  tenon_optimizer_release(optimizer);
  std::printf("{\"step\": %.9g}\n", step);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 0.2;
  const Runtime runtime;
  for (std::string line; std::getline(std::cin, line);) {
    answer(runtime, line, seconds);
    std::fflush(stdout);
  }
}
