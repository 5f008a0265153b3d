// SPDX-License-Identifier: Apache-2.0
// tests/bench/loader_bench.cc: one training step of 784-128-32-10 on MNIST, 64 images, on one
// thread: with one batch that is there already (workers -1), and with the shuffled batches of a
// loader that normalises and flattens, without workers (0) and with some. $TENON_DATA/mnist holds
// the files.
#include <benchmark/benchmark.h>
#include <tenon/ext/draft/loaders.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int64_t kBatch = 64;
constexpr int64_t kSizes[] = {784, 128, 32, 10};

class Digits {
 public:
  Digits(const std::string& folder, int64_t workers) {
    tenon_runtime_options options{};
    options.struct_size = sizeof options;
    options.threads = 1;
    require(tenon_runtime_create(&options, nullptr, &runtime_));
    require(tenon_context_create(runtime_, nullptr, &cx_));
    open(folder, workers);
    for (int i = 0; i < 3; ++i) {
      parameter({kSizes[i], kSizes[i + 1]}, 1.0 / static_cast<double>(kSizes[i]));
      parameter({kSizes[i + 1]}, 0.0);
    }
    const tenon_string name = {"lr", 2};
    const tenon_value lr = real(0.01);
    require(tenon_optimizer_create(cx_, "tenon.sgd", TENON_NUL, params_.data(),
                                   static_cast<uint32_t>(params_.size()), &name, &lr, 1, &sgd_));
    take();
  }
  ~Digits() {
    drop();
    for (tenon_tensor* each : params_) tenon_tensor_release(each);
    tenon_optimizer_release(sgd_);
    tenon_loader_release(loader_);
    tenon_dataset_release(set_);
    tenon_context_release(cx_);
    tenon_runtime_release(runtime_);
  }
  Digits(const Digits&) = delete;
  Digits& operator=(const Digits&) = delete;

  // The next batch becomes the current one.
  void take() {
    drop();
    int64_t n = 0;
    require(tenon_loader_run(cx_, loader_, fields_, 2, &n));
    if (n > 0) return;
    require(tenon_loader_begin(cx_, loader_, ++epoch_, 0));
    require(tenon_loader_run(cx_, loader_, fields_, 2, &n));
  }
  void step() {
    std::vector<tenon_tensor*> made;
    tenon_tensor* x = fields_[0];
    const auto call = [&](const char* name, tenon_tensor* a, tenon_tensor* b) {
      made.push_back(run(name, a, b));
      return made.back();
    };
    for (size_t i = 0; i < params_.size(); i += 2) {
      if (i > 0) x = call("tenon.relu", x, nullptr);
      x = call("tenon.matmul", x, params_[i]);
      x = call("tenon.add", x, params_[i + 1]);
    }
    tenon_tensor* const loss = call("tenon.softmax_cross_entropy", x, fields_[1]);
    require(tenon_backward_run(cx_, &loss, nullptr, 1, 0));
    require(tenon_optimizer_run(cx_, sgd_, TENON_OPTIMIZER_CLEAR_GRAD));
    for (tenon_tensor* each : made) tenon_tensor_release(each);
  }

 private:
  static tenon_value real(double number) {
    tenon_value value{TENON_VALUE_F64, 0, {}};
    value.as.f64 = number;
    return value;
  }
  void open(const std::string& folder, int64_t workers) {
    const std::string paths[] = {folder + "/train-images-idx3-ubyte",
                                 folder + "/train-labels-idx1-ubyte"};
    const tenon_string names[] = {{"images", 6}, {"labels", 6}};
    tenon_value values[2];
    for (int i = 0; i < 2; ++i) {
      values[i] = {TENON_VALUE_STRING, static_cast<uint32_t>(paths[i].size()), {}};
      values[i].as.string = paths[i].data();
    }
    require(tenon_dataset_create(cx_, "tenon.idx", TENON_NUL, names, values, 2, &set_));
    require(tenon_loader_create(cx_, set_, kBatch, 1, TENON_LOADER_SHUFFLE | TENON_LOADER_DROP_LAST,
                                &loader_));
    set_transforms();
    if (workers > 0) {
      require(tenon_loader_set_workers(cx_, loader_, static_cast<uint32_t>(workers)));
    }
  }
  void set_transforms() {
    const double mean = 0.1307, deviation = 0.3081;
    const tenon_string names[] = {{"mean", 4}, {"deviation", 9}, {"scale", 5}};
    tenon_value values[] = {
        {TENON_VALUE_FLOAT_LIST, 1, {}}, {TENON_VALUE_FLOAT_LIST, 1, {}}, real(255)};
    values[0].as.floats = &mean;
    values[1].as.floats = &deviation;
    tenon_transform* transforms[2] = {};
    require(tenon_transform_create(cx_, "tenon.normalise", TENON_NUL, names, values, 3,
                                   &transforms[0]));
    require(tenon_transform_create(cx_, "tenon.flatten", TENON_NUL, nullptr, nullptr, 0,
                                   &transforms[1]));
    const uint32_t fields[] = {0, 0};
    require(tenon_loader_set_transforms(cx_, loader_, transforms, fields, 2));
    for (tenon_transform* each : transforms) tenon_transform_release(each);
  }
  void parameter(std::vector<int64_t> shape, double bound) {
    int64_t count = 1;
    for (const int64_t size : shape) count *= size;
    std::vector<float> values(static_cast<size_t>(count));
    for (float& value : values) {
      state_ = state_ * 1664525U + 1013904223U;
      value = static_cast<float>((static_cast<double>(state_ >> 8) / (1 << 23) - 1) * bound);
    }
    tenon_tensor* made = nullptr;
    require(tenon_tensor_create_from(cx_, TENON_DTYPE_F32, nullptr,
                                     static_cast<int32_t>(shape.size()), shape.data(),
                                     values.data(), values.size() * sizeof(float), &made));
    require(tenon_tensor_set_requires_grad(cx_, made, 1));
    params_.push_back(made);
  }
  tenon_tensor* run(const char* name, tenon_tensor* a, tenon_tensor* b) {
    const tenon_op* op = nullptr;
    require(tenon_op_find(cx_, name, TENON_NUL, 0, &op));
    tenon_value in[2] = {{TENON_VALUE_TENSOR, 0, {}}, {TENON_VALUE_TENSOR, 0, {}}};
    in[0].as.tensor = a;
    in[1].as.tensor = b;
    tenon_tensor* out = nullptr;
    require(tenon_op_call(cx_, op, in, b ? 2 : 1, nullptr, 0, &out, 1));
    return out;
  }
  void drop() {
    for (tenon_tensor*& field : fields_) {
      tenon_tensor_release(field);
      field = nullptr;
    }
  }
  void require(tenon_status status) {
    if (status == TENON_OK) return;
    tenon_error error{};
    error.struct_size = sizeof error;
    tenon_context_get_error(cx_, &error);
    std::fprintf(stderr, "%s: %s\n", tenon_status_get_name(status),
                 error.message ? error.message : "");
    std::exit(1);
  }

  tenon_runtime* runtime_ = nullptr;
  tenon_context* cx_ = nullptr;
  tenon_dataset* set_ = nullptr;
  tenon_loader* loader_ = nullptr;
  int64_t epoch_ = 0;
  tenon_tensor* fields_[2] = {};
  std::vector<tenon_tensor*> params_;
  tenon_optimizer* sgd_ = nullptr;
  uint32_t state_ = 1;
};

void training_step(benchmark::State& state) {
  const char* const data = std::getenv("TENON_DATA");
  if (!data) {
    state.SkipWithError("TENON_DATA names no folder with mnist/");
    return;
  }
  Digits digits(std::string(data) + "/mnist", state.range(0));
  for (int i = 0; i < 50; ++i) digits.step();
  for (auto _ : state) {
    if (state.range(0) >= 0) digits.take();
    digits.step();
  }
}
BENCHMARK(training_step)->ArgName("workers")->Arg(-1)->Arg(0)->Arg(2)->Arg(4)->UseRealTime();

}  // namespace
