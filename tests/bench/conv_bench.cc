// SPDX-License-Identifier: Apache-2.0
// tests/bench/conv_bench.cc: conv and its two gradients on layers of known networks, f32, on one
// and two threads: GFLOP/s, and their share of what the multiply-add units of as many cores can do.
#include <benchmark/benchmark.h>
#include <tenon/tenon.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "multiply_add.h"

namespace {

struct Layer {
  const char* name;
  int64_t images, groups, in, out;  // channels of a group
  int64_t size, kernel, stride, padding;

  int64_t windows() const { return (size + 2 * padding - kernel) / stride + 1; }
  double operations() const {
    const auto sums = static_cast<double>(images * groups * out * windows() * windows());
    return 2 * sums * static_cast<double>(in * kernel * kernel);
  }
};

constexpr Layer kLayers[] = {
    {"3x3_64_56", 32, 1, 64, 64, 56, 3, 1, 1},
    {"3x3_32_64_stride2_28", 64, 1, 32, 64, 28, 3, 2, 1},
    {"3x3_32_28", 64, 1, 32, 32, 28, 3, 1, 1},
    {"resnet18_7x7_224", 1, 1, 3, 64, 224, 7, 2, 3},
    {"resnet18_3x3_64_56", 1, 1, 64, 64, 56, 3, 1, 1},
    {"resnet18_3x3_128_28", 1, 1, 128, 128, 28, 3, 1, 1},
    {"resnet18_3x3_256_14", 1, 1, 256, 256, 14, 3, 1, 1},
    {"resnet18_3x3_512_7", 1, 1, 512, 512, 7, 3, 1, 1},
    {"resnet18_3x3_128_28", 32, 1, 128, 128, 28, 3, 1, 1},
    {"resnet18_3x3_256_14", 32, 1, 256, 256, 14, 3, 1, 1},
    {"resnet18_3x3_512_7", 32, 1, 512, 512, 7, 3, 1, 1},
    {"resnet18_1x1_64_128_stride2_56", 32, 1, 64, 128, 56, 1, 2, 0},
    {"mobilenet_1x1_16_96_112", 1, 1, 16, 96, 112, 1, 1, 0},
    {"mobilenet_1x1_144_24_56", 32, 1, 144, 24, 56, 1, 1, 0},
    {"mobilenet_1x1_160_960_7", 32, 1, 160, 960, 7, 1, 1, 0},
    {"mobilenet_depthwise_32_112", 1, 32, 1, 1, 112, 3, 1, 1},
    {"mobilenet_depthwise_96_stride2_112", 32, 96, 1, 1, 112, 3, 2, 1},
    {"mobilenet_depthwise_144_56", 32, 144, 1, 1, 56, 3, 1, 1},
    {"mobilenet_depthwise_960_7", 32, 960, 1, 1, 7, 3, 1, 1},
};

void require(tenon_status status, const char* what) {
  if (status == TENON_OK) return;
  std::fprintf(stderr, "%s: %s\n", what, tenon_status_get_name(status));
  std::exit(1);
}

// Multiply-adds of one core as operations a second.
double peak() {
  static const double best = [] {
    double most = 0;
    for (int i = 0; i < 50; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      const double operations = tenon::bench::run_multiply_adds(100000);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      most = std::max(most, operations / took.count());
    }
    return most;
  }();
  return best;
}

// Lists of one number for all dimensions; the array must outlive the value.
tenon_value list(std::span<const int64_t> numbers) {
  tenon_value value{};
  value.tag = TENON_VALUE_INT_LIST;
  value.count = static_cast<uint32_t>(numbers.size());
  value.as.ints = numbers.data();
  return value;
}

enum class What { kForward, kInputGrad, kWeightGrad };
constexpr const char* kOps[] = {"tenon.conv", "tenon.conv_input_grad", "tenon.conv_weight_grad"};

class Session {
 public:
  Session(const Layer& layer, int32_t threads) : s_(layer) {
    tenon_runtime_options options{};
    options.struct_size = sizeof options;
    options.threads = threads;
    require(tenon_runtime_create(&options, nullptr, &runtime_), "runtime");
    require(tenon_context_create(runtime_, nullptr, &context_), "context");
    x_ = random({s_.images, s_.groups * s_.in, s_.size, s_.size});
    weight_ = random({s_.groups * s_.out, s_.in, s_.kernel, s_.kernel});
    y_ = random({s_.images, s_.groups * s_.out, s_.windows(), s_.windows()});
  }
  ~Session() {
    for (tenon_tensor* tensor : {x_, weight_, y_}) tenon_tensor_release(tensor);
    tenon_context_release(context_);
    tenon_runtime_release(runtime_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void find(What what) {
    const char* const name = kOps[static_cast<size_t>(what)];
    require(tenon_op_find(context_, name, TENON_NUL, 0, &op_), name);
  }
  void run(What what) const {
    tenon_tensor* const tensors[][3] = {{x_, weight_, y_}, {y_, weight_, x_}, {y_, x_, weight_}};
    const auto& [first, second, result] = tensors[static_cast<size_t>(what)];
    tenon_value in[2]{};
    in[0].tag = in[1].tag = TENON_VALUE_TENSOR;
    in[0].as.tensor = first;
    in[1].as.tensor = second;
    const int64_t sizes[] = {what == What::kInputGrad ? s_.size : s_.kernel,
                             what == What::kInputGrad ? s_.size : s_.kernel};
    const int64_t one[] = {1};
    tenon_value groups{};
    groups.tag = TENON_VALUE_I64;
    groups.as.i64 = s_.groups;
    std::vector<tenon_value> attrs{list({&s_.stride, 1}), list({&s_.padding, 1}), list(one),
                                   groups};
    if (what != What::kForward) attrs.insert(attrs.begin(), list(sizes));
    tenon_tensor* out[] = {result};
    require(tenon_op_call_into(context_, op_, in, 2, attrs.data(),
                               static_cast<uint32_t>(attrs.size()), out, 1),
            "conv");
  }

 private:
  tenon_tensor* random(const std::vector<int64_t>& shape) {
    size_t count = 1;
    for (const int64_t size : shape) count *= static_cast<size_t>(size);
    std::vector<float> values(count);
    std::uniform_real_distribution<float> within(-1, 1);
    for (float& value : values) value = within(random_);
    tenon_tensor* made = nullptr;
    require(tenon_tensor_create_from(context_, TENON_DTYPE_F32, nullptr,
                                     static_cast<int32_t>(shape.size()), shape.data(),
                                     values.data(), count * sizeof(float), &made),
            "tensor");
    return made;
  }

  const Layer& s_;
  std::mt19937 random_{1};
  tenon_runtime* runtime_ = nullptr;
  tenon_context* context_ = nullptr;
  const tenon_op* op_ = nullptr;
  tenon_tensor* x_ = nullptr;
  tenon_tensor* weight_ = nullptr;
  tenon_tensor* y_ = nullptr;
};

void measure(benchmark::State& state, const Layer& layer, What what) {
  const auto threads = static_cast<int32_t>(state.range(0));
  Session session(layer, threads);
  session.find(what);
  session.run(what);
  double fastest = 1e9;
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    session.run(what);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    fastest = std::min(fastest, took.count());
  }
  const double rate = layer.operations() / fastest;
  state.counters["best GFLOP/s"] = rate * 1e-9;
  if (peak() > 0) state.counters["% of peak"] = 100 * rate / (peak() * threads);
}

const int kRegistered = [] {
  for (const What what : {What::kForward, What::kInputGrad, What::kWeightGrad}) {
    for (const Layer& layer : kLayers) {
      const std::string name = std::string(kOps[static_cast<size_t>(what)] + sizeof "tenon") + "/" +
                               layer.name + "/" + std::to_string(layer.images);
      benchmark::RegisterBenchmark(
          name.c_str(), [&layer, what](benchmark::State& state) { measure(state, layer, what); })
          ->Arg(1)
          ->Arg(2)
          ->UseRealTime();
    }
  }
  return 0;
}();

}  // namespace
