// SPDX-License-Identifier: Apache-2.0
// tests/cost/work_support.h: the work whose cost is counted: single ops, and a whole eager training
// step of an MLP with SGD.
#pragma once

#include <gtest/gtest.h>
#include <tenon/plugin.h>
#include <tenon/tenon.h>

#include <array>
#include <string>
#include <vector>

#include "tests/support/paths.h"

namespace tenon::tests {

inline constexpr int kWarm = 5;  // the first calls of a kind learn how the others run
inline constexpr int kSteps = 1000;

inline tenon_value one(tenon_tensor* tensor) {
  tenon_value value{TENON_VALUE_TENSOR, 0, {}};
  value.as.tensor = tensor;
  return value;
}

// A runtime of its own. `threads` as in the runtime's options.
class Work {
 public:
  explicit Work(int32_t threads = 0) {
    const std::string plugins = plugin_dir();
    const tenon_string paths[] = {{plugins.data(), plugins.size()}};
    tenon_runtime_options options{};
    options.struct_size = sizeof options;
    options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS;
    options.paths = paths;
    options.n_paths = 1;
    options.threads = threads;
    must(tenon_runtime_create(&options, nullptr, &runtime));
    must(tenon_context_create(runtime, nullptr, &context));
  }
  ~Work() {
    for (tenon_tensor* tensor : made) tenon_tensor_release(tensor);
    tenon_context_release(context);
    tenon_runtime_release(runtime);
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  void must(tenon_status status) { ASSERT_EQ(status, TENON_OK) << tenon_status_get_name(status); }
  const tenon_op* op(const char* name) {
    const tenon_op* found = nullptr;
    must(tenon_op_find(context, name, TENON_NUL, 0, &found));
    return found;
  }
  template <class T>
  tenon_tensor* tensor(std::vector<int64_t> shape, tenon_dtype dtype, T value) {
    size_t count = 1;
    for (int64_t size : shape) count *= static_cast<size_t>(size);
    std::vector<T> values(count, value);
    if constexpr (std::is_same_v<T, float>) {
      for (size_t i = 0; i < count; ++i) values[i] += 0.001f * static_cast<float>(i % 97);
    }
    tenon_tensor* out = nullptr;
    must(tenon_tensor_create_from(context, dtype, nullptr, static_cast<int32_t>(shape.size()),
                                  shape.data(), values.data(), count * sizeof(T), &out));
    made.push_back(out);
    return out;
  }
  tenon_tensor* floats(std::vector<int64_t> shape, float value = 0.1f) {
    return tensor(std::move(shape), TENON_DTYPE_F32, value);
  }
  tenon_tensor* parameter(std::vector<int64_t> shape) {
    tenon_tensor* out = floats(std::move(shape));
    must(tenon_tensor_set_requires_grad(context, out, 1));
    return out;
  }
  tenon_tensor* call(const tenon_op* which, std::initializer_list<tenon_tensor*> inputs) {
    std::array<tenon_value, 4> values{};
    size_t count = 0;
    for (tenon_tensor* input : inputs) values[count++] = one(input);
    tenon_tensor* out = nullptr;
    must(tenon_op_call(context, which, values.data(), static_cast<uint32_t>(count), nullptr, 0,
                       &out, 1));
    return out;
  }

  tenon_runtime* runtime = nullptr;
  tenon_context* context = nullptr;
  std::vector<tenon_tensor*> made;
};

// The step of an MLP with two hidden layers.
class Training {
 public:
  explicit Training(Work& in)
      : work_(in),
        params_{work_.parameter({64, 32}), work_.parameter({32}),     work_.parameter({32, 16}),
                work_.parameter({16}),     work_.parameter({16, 10}), work_.parameter({10})},
        x_(work_.floats({8, 64})),
        labels_(work_.tensor<int64_t>({8}, TENON_DTYPE_I64, 3)) {
    const tenon_string lr = {"lr", 2};
    tenon_value rate{TENON_VALUE_F64, 0, {}};
    rate.as.f64 = 0.01;
    work_.must(tenon_optimizer_create(work_.context, "tenon.sgd", TENON_NUL, params_.data(),
                                      params_.size(), &lr, &rate, 1, &sgd_));
  }
  ~Training() {
    tenon_plan_release(plan_);
    tenon_optimizer_release(sgd_);
  }
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  void step() {
    std::array<tenon_tensor*, 9> held{};
    tenon_tensor* h = x_;
    size_t count = 0;
    for (size_t layer = 0; layer < 3; ++layer) {
      h = held[count++] = work_.call(matmul_, {h, params_[2 * layer]});
      h = held[count++] = work_.call(add_, {h, params_[2 * layer + 1]});
      if (layer < 2) h = held[count++] = work_.call(relu_, {h});
    }
    tenon_tensor* root = held[count++] = work_.call(loss_, {h, labels_});
    work_.must(tenon_backward_run(work_.context, &root, nullptr, 1, 0));
    work_.must(tenon_optimizer_run(work_.context, sgd_, TENON_OPTIMIZER_CLEAR_GRAD));
    for (tenon_tensor* each : held) tenon_tensor_release(each);
  }
  void capture() {
    step();
    work_.must(tenon_capture_begin(work_.context, nullptr, 0));
    step();
    work_.must(tenon_capture_end(work_.context, &plan_));
  }
  void replay() { work_.must(tenon_plan_run(work_.context, plan_)); }

 private:
  Work& work_;
  const std::array<tenon_tensor*, 6> params_;
  tenon_tensor* const x_;
  tenon_tensor* const labels_;
  const tenon_op* const matmul_ = work_.op("tenon.matmul");
  const tenon_op* const add_ = work_.op("tenon.add");
  const tenon_op* const relu_ = work_.op("tenon.relu");
  const tenon_op* const loss_ = work_.op("tenon.softmax_cross_entropy");
  tenon_optimizer* sgd_ = nullptr;
  tenon_plan* plan_ = nullptr;
};

}  // namespace tenon::tests
