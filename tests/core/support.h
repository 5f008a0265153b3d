// SPDX-License-Identifier: Apache-2.0
// tests/core/support.h: the C API for tests of the core: owners of its objects, and a fixture with
// a runtime that sees the toy plugins alone.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tenon/tenon.h>
#include <tenon/sdk/plugin/base.hpp>
#include <tenon/sdk/plugin/dtypes.hpp>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/paths.h"

namespace tenon::tests {

using sdk::Value;
using Shape = std::vector<int64_t>;

template <class T, void (*Release)(T*)>
struct Releaser {
  void operator()(T* object) const { Release(object); }
};
template <class T, void (*Release)(T*)>
using Owned = std::unique_ptr<T, Releaser<T, Release>>;

using Tensor = Owned<tenon_tensor, tenon_tensor_release>;
using Plan = Owned<tenon_plan, tenon_plan_release>;
using Optimizer = Owned<tenon_optimizer, tenon_optimizer_release>;
using Text = Owned<tenon_text, tenon_text_release>;
using RuntimeHandle = Owned<tenon_runtime, tenon_runtime_release>;
using ContextHandle = Owned<tenon_context, tenon_context_release>;

inline Value arg(const Tensor& tensor) { return Value(tensor.get()); }
inline Value ints(const Shape& numbers) { return Value(std::span<const int64_t>(numbers)); }

struct RuntimeOptions {
  std::string check;
  uint64_t memory_limit = 0;
  int32_t threads = 1;
};

// A runtime that finds the plugins below tests/core/plugins and nothing else.
inline RuntimeHandle make_runtime(const RuntimeOptions& given = {}) {
  const std::string folder = std::string(test_plugin_dir()) + "/core";
  const tenon_string path{folder.data(), folder.size()};
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
  options.paths = &path;
  options.n_paths = 1;
  options.threads = given.threads;
  options.memory_limit = given.memory_limit;
  options.check = {given.check.data(), given.check.size()};
  tenon_diag diag{};
  tenon_runtime* runtime = nullptr;
  EXPECT_EQ(tenon_runtime_create(&options, &diag, &runtime), TENON_OK) << diag.message;
  return RuntimeHandle(runtime);
}

// The error record, copied.
struct Failure {
  tenon_status status = TENON_OK;
  uint64_t sequence = 0;
  std::string message, op, operand, expected, found, plugin, scope, hint;
  std::vector<std::string> causes;
};

// A context, and short words for calls in it. `must_` calls fail the test where they fail.
class Session {
 public:
  explicit Session(const RuntimeHandle& runtime) {
    tenon_diag diag{};
    tenon_context* made = nullptr;
    EXPECT_EQ(tenon_context_create(runtime.get(), &diag, &made), TENON_OK) << diag.message;
    handle.reset(made);
  }

  tenon_context* get() const { return handle.get(); }

  Failure failure() const {
    tenon_error error{};
    error.struct_size = sizeof error;
    Failure copy;
    if (tenon_context_get_error(get(), &error) != TENON_OK) return copy;
    copy = {error.status,
            error.sequence,
            error.message,
            error.op,
            error.operand,
            error.expected,
            error.found,
            error.plugin,
            error.scope,
            error.hint,
            {}};
    copy.causes.assign(error.causes, error.causes + error.n_causes);
    return copy;
  }
  void must(tenon_status status) const {
    if (status == TENON_OK) return;
    const Failure f = failure();
    FAIL() << tenon_status_get_name(status) << ": " << f.message << "\n  operand " << f.operand
           << ", expected " << f.expected << ", found " << f.found;
  }
  // The record of a call that must fail with `expected`.
  Failure refused(tenon_status expected, tenon_status found) const {
    EXPECT_EQ(found, expected) << tenon_status_get_name(found) << " instead of "
                               << tenon_status_get_name(expected) << ": "
                               << (found == TENON_OK ? "" : failure().message);
    Failure f = failure();
    if (found != TENON_OK) {
      EXPECT_EQ(f.status, found);
      EXPECT_FALSE(f.message.empty());
    }
    return f;
  }

  // ---- Ops

  const tenon_op* op(std::string_view name) const {
    const tenon_op* found = nullptr;
    must(tenon_op_find(get(), name.data(), name.size(), 0, &found));
    return found;
  }
  tenon_status try_call(std::string_view name, std::initializer_list<Value> inputs,
                        std::initializer_list<Value> attrs, Tensor& out) const {
    tenon_tensor* made = nullptr;
    const tenon_status status = tenon_op_call(get(), op(name), inputs.begin(), count(inputs),
                                              attrs.begin(), count(attrs), &made, 1);
    out.reset(made);
    return status;
  }
  tenon_status try_call(std::string_view name, std::initializer_list<Value> inputs,
                        std::initializer_list<Value> attrs = {}) const {
    Tensor ignored;
    return try_call(name, inputs, attrs, ignored);
  }
  Tensor call(std::string_view name, std::initializer_list<Value> inputs,
              std::initializer_list<Value> attrs = {}) const {
    Tensor out;
    must(try_call(name, inputs, attrs, out));
    return out;
  }
  tenon_status try_apply(std::string_view name, std::initializer_list<Value> inputs,
                         std::initializer_list<Value> attrs,
                         std::vector<tenon_tensor*> outputs) const {
    return tenon_op_call_into(get(), op(name), inputs.begin(), count(inputs), attrs.begin(),
                              count(attrs), outputs.data(), static_cast<uint32_t>(outputs.size()));
  }
  void apply(std::string_view name, std::initializer_list<Value> inputs,
             std::initializer_list<Value> attrs, std::vector<tenon_tensor*> outputs) const {
    must(try_apply(name, inputs, attrs, std::move(outputs)));
  }
  // An op without outputs.
  void run(std::string_view name, std::initializer_list<Value> inputs,
           std::initializer_list<Value> attrs = {}) const {
    must(tenon_op_call(get(), op(name), inputs.begin(), count(inputs), attrs.begin(), count(attrs),
                       nullptr, 0));
  }

  // ---- Tensors

  template <class T>
  Tensor tensor(const Shape& shape, const std::vector<T>& values,
                const tenon_device* device = nullptr) const {
    tenon_tensor* made = nullptr;
    must(tenon_tensor_create_from(get(), sdk::dtype_of<T>(), device,
                                  static_cast<int32_t>(shape.size()), shape.data(), values.data(),
                                  values.size() * sizeof(T), &made));
    return Tensor(made);
  }
  Tensor floats(const Shape& shape, const std::vector<float>& values) const {
    return tensor<float>(shape, values);
  }
  // 1, 2, 3, ... in any shape.
  template <class T = float>
  Tensor counting(const Shape& shape) const {
    std::vector<T> values(static_cast<size_t>(sdk::count_of(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i + 1);
    return tensor<T>(shape, values);
  }
  Tensor view(const Tensor& base, const Shape& shape, const Shape& strides, int64_t offset) const {
    tenon_tensor* made = nullptr;
    must(tenon_tensor_create_view(get(), base.get(), static_cast<int32_t>(shape.size()),
                                  shape.data(), strides.data(), offset, &made));
    return Tensor(made);
  }
  Tensor detached(const Tensor& tensor) const {
    tenon_tensor* made = nullptr;
    must(tenon_tensor_create_detached(get(), tensor.get(), &made));
    return Tensor(made);
  }
  Tensor on(const tenon_device& device, const Tensor& tensor) const {
    tenon_tensor* made = nullptr;
    must(tenon_tensor_create_copy(get(), tensor.get(), &device, &made));
    return Tensor(made);
  }
  tenon_device device(std::string_view kind, int32_t index = 0) const {
    tenon_device found{};
    must(tenon_device_find(get(), kind.data(), kind.size(), index, &found));
    return found;
  }
  tenon_tensor_info info(const tenon_tensor* tensor) const {
    tenon_tensor_info out{};
    out.struct_size = sizeof out;
    must(tenon_tensor_get_info(get(), tensor, &out));
    return out;
  }
  tenon_tensor_info info(const Tensor& tensor) const { return info(tensor.get()); }
  Shape shape(const Tensor& tensor) const {
    tenon_view out{};
    must(tenon_tensor_get_view(get(), tensor.get(), &out));
    return Shape(out.shape, out.shape + out.rank);
  }
  Shape strides(const tenon_tensor* tensor) const {
    tenon_view out{};
    must(tenon_tensor_get_view(get(), tensor, &out));
    return Shape(out.strides, out.strides + out.rank);
  }
  tenon_dtype dtype(const Tensor& tensor) const {
    tenon_view out{};
    must(tenon_tensor_get_view(get(), tensor.get(), &out));
    return out.dtype;
  }
  template <class T = float>
  std::vector<T> values(const tenon_tensor* tensor) const {
    std::vector<T> out;
    if (!tensor) {
      ADD_FAILURE() << "no tensor";
      return out;
    }
    out.resize(static_cast<size_t>(info(tensor).elements));
    must(tenon_tensor_get_data(get(), tensor, out.data(), out.size() * sizeof(T)));
    return out;
  }
  template <class T = float>
  std::vector<T> values(const Tensor& tensor) const {
    return values<T>(tensor.get());
  }

  // ---- Gradients

  Tensor leaf(Tensor tensor) const {
    must(tenon_tensor_set_requires_grad(get(), tensor.get(), 1));
    return tensor;
  }
  tenon_status try_backward(const Tensor& root, uint32_t flags = 0,
                            tenon_tensor* seed = nullptr) const {
    tenon_tensor* roots[] = {root.get()};
    return tenon_backward_run(get(), roots, seed ? &seed : nullptr, 1, flags);
  }
  void backward(const Tensor& root, uint32_t flags = 0, tenon_tensor* seed = nullptr) const {
    must(try_backward(root, flags, seed));
  }
  // Borrowed from the tensor.
  tenon_tensor* grad(const Tensor& tensor) const {
    tenon_tensor* out = nullptr;
    must(tenon_tensor_get_grad(get(), tensor.get(), &out));
    return out;
  }
  std::vector<float> grad_values(const Tensor& tensor) const { return values(grad(tensor)); }
  void clear_grad(const Tensor& tensor) const {
    must(tenon_tensor_set_grad(get(), tensor.get(), nullptr));
  }
  tenon_status try_gradient(const Tensor& root, std::vector<tenon_tensor*> inputs, uint32_t flags,
                            std::vector<Tensor>& out) const {
    tenon_tensor* roots[] = {root.get()};
    std::vector<tenon_tensor*> made(inputs.size(), nullptr);
    const tenon_status status =
        tenon_gradient_call(get(), roots, nullptr, 1, inputs.data(),
                            static_cast<uint32_t>(inputs.size()), flags, made.data());
    out.clear();
    for (tenon_tensor* each : made) out.emplace_back(each);
    return status;
  }
  Tensor gradient(const Tensor& root, const Tensor& input, uint32_t flags = 0) const {
    std::vector<Tensor> out;
    must(try_gradient(root, {input.get()}, flags, out));
    return std::move(out[0]);
  }

  // ---- The rest

  tenon_stats stats() const {
    tenon_stats out{};
    out.struct_size = sizeof out;
    must(tenon_runtime_get_stats(get(), &out));
    return out;
  }
  void begin_capture(std::vector<tenon_tensor*> inputs = {}) const {
    must(tenon_capture_begin(get(), inputs.data(), static_cast<uint32_t>(inputs.size())));
  }
  Plan end_capture() const {
    tenon_plan* plan = nullptr;
    must(tenon_capture_end(get(), &plan));
    return Plan(plan);
  }
  void run(const Plan& plan) const { must(tenon_plan_run(get(), plan.get())); }
  void set(const Plan& plan, uint32_t index, const Tensor& tensor) const {
    must(tenon_plan_set(get(), plan.get(), index, tensor.get()));
  }
  std::string listing(const Plan& plan) const {
    tenon_text* made = nullptr;
    must(tenon_plan_get_text(get(), plan.get(), &made));
    const Text text(made);
    const char* data = nullptr;
    uint64_t length = 0;
    must(tenon_text_get(made, &data, &length));
    return std::string(data, length);
  }
  Optimizer optimizer(std::vector<tenon_tensor*> params,
                      const std::vector<std::pair<std::string, Value>>& hypers = {},
                      const char* kind = "acme.sgd") const {
    std::vector<tenon_string> names;
    std::vector<tenon_value> values;
    for (const auto& [name, value] : hypers) {
      names.push_back({name.data(), name.size()});
      values.push_back(value);
    }
    tenon_optimizer* made = nullptr;
    must(tenon_optimizer_create(get(), kind, TENON_NUL, params.data(),
                                static_cast<uint32_t>(params.size()), names.data(), values.data(),
                                static_cast<uint32_t>(names.size()), &made));
    return Optimizer(made);
  }
  void set_hyper(const Optimizer& optimizer, const char* name, Value value) const {
    must(tenon_optimizer_set(get(), optimizer.get(), name, TENON_NUL, &value));
  }
  tenon_tensor* state(const Optimizer& optimizer, uint32_t index, const char* name) const {
    tenon_tensor* out = nullptr;
    must(tenon_optimizer_get_state(get(), optimizer.get(), index, name, TENON_NUL, &out));
    return out;
  }
  void step(const Optimizer& optimizer, uint32_t flags = TENON_OPTIMIZER_CLEAR_GRAD) const {
    must(tenon_optimizer_run(get(), optimizer.get(), flags));
  }
  void begin_scope(const char* label) const { must(tenon_scope_begin(get(), label, TENON_NUL)); }
  void end_scope() const { must(tenon_scope_end(get())); }

  ContextHandle handle;

 private:
  template <class List>
  static uint32_t count(const List& list) {
    return static_cast<uint32_t>(list.size());
  }
};

// Gradients off for a C++ scope.
class NoGrad {
 public:
  explicit NoGrad(const Session& session) : session_(session) {
    session_.must(tenon_grad_begin(session_.get(), TENON_GRAD_DISABLED));
  }
  ~NoGrad() { session_.must(tenon_grad_end(session_.get())); }
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  const Session& session_;
};

class Toy : public testing::Test {
 protected:
  RuntimeHandle runtime = make_runtime();
  Session cx{runtime};
};

}  // namespace tenon::tests
