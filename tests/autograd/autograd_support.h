// SPDX-License-Identifier: Apache-2.0
// tests/autograd/autograd_support.h: calls of ops, and hooks that write down what they see.
#pragma once

#include <tenon/gradients.h>

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "tests/training/training_support.h"

namespace tenon::tests {

// A hook, or a function, as a C++ function object.
struct Callback {
  std::function<tenon_status(tenon_context*, tenon_tensor*, tenon_tensor**)> hook;
  int released = 0;

  static tenon_status call(tenon_context* context, tenon_tensor* gradient, tenon_tensor** out,
                           void* user) {
    return static_cast<Callback*>(user)->hook(context, gradient, out);
  }
  static void release(void* user) { ++static_cast<Callback*>(user)->released; }
};

using Function = std::function<tenon_status(tenon_tensor* const*, tenon_tensor**)>;

class Autograd : public Training {
 protected:
  static tenon_status try_call(tenon_context* context, const char* name,
                               const std::vector<tenon_value>& inputs, tenon_tensor** out) {
    const tenon_op* op = nullptr;
    const tenon_status status = tenon_op_find(context, name, TENON_NUL, 0, &op);
    if (status != TENON_OK) return status;
    return tenon_op_call(context, op, inputs.data(), static_cast<uint32_t>(inputs.size()), nullptr,
                         0, out, 1);
  }
  Tensor leaf(const std::vector<double>& values) {
    return parameter(tensor<double>({static_cast<int64_t>(values.size())}, values));
  }
  Tensor times(const Tensor& a, const Tensor& b) {
    return call("tenon.mul", {one(a.get()), one(b.get())});
  }
  Tensor sum(const Tensor& x) { return call("tenon.sum", {one(x.get())}); }

  tenon_status backward(const Tensor& root, uint32_t flags = 0) {
    tenon_tensor* const roots[] = {root.get()};
    return tenon_backward_run(context, roots, nullptr, 1, flags);
  }
  std::vector<double> grad(const Tensor& tensor) {
    tenon_tensor* grad = nullptr;
    must(tenon_tensor_get_grad(context, tensor.get(), &grad));
    return grad ? values_of<double>(grad) : std::vector<double>();
  }
  uint64_t begin_hook(const Tensor& tensor, Callback& callback) {
    uint64_t hook = 0;
    must(tenon_hook_begin(context, tensor.get(), Callback::call, &callback, Callback::release,
                          &hook));
    return hook;
  }
  // Lives as long as the context: a hook ends with its tensor's graph.
  Callback& callback(decltype(Callback::hook) hook) {
    return callbacks.emplace_back(Callback{std::move(hook)});
  }
  // A hook that adds `name` and the gradient to the log.
  Callback& noting(const std::string& name) {
    return callback([this, name](tenon_context*, tenon_tensor* gradient, tenon_tensor**) {
      std::string line = name;
      for (const double value : values_of<double>(gradient)) {
        line += " " + std::to_string(static_cast<int>(value));
      }
      log.push_back(line);
      return TENON_OK;
    });
  }
  // A hook that multiplies the gradient.
  Callback& scaling(double factor) {
    return callback([factor](tenon_context* cx, tenon_tensor* gradient, tenon_tensor** out) {
      return try_call(cx, "tenon.mul", {one(gradient), real(factor)}, out);
    });
  }

  tenon_status run(const Function& function, const std::vector<tenon_tensor*>& inputs,
                   uint32_t n_outputs, uint32_t flags, std::vector<Tensor>& outputs,
                   std::vector<Tensor>& grads, tenon_tensor* const* seeds = nullptr) {
    const auto forward = [](tenon_context*, tenon_tensor* const* given, uint32_t,
                            tenon_tensor** made, uint32_t, void* user) {
      return (*static_cast<const Function*>(user))(given, made);
    };
    std::vector<tenon_tensor*> made(n_outputs, nullptr);
    std::vector<tenon_tensor*> slopes(inputs.size(), nullptr);
    const tenon_status status = tenon_function_call(
        context, forward, const_cast<Function*>(&function), inputs.data(),
        static_cast<uint32_t>(inputs.size()), seeds, n_outputs, flags, made.data(), slopes.data());
    outputs.clear();
    grads.clear();
    for (tenon_tensor* each : made) outputs.emplace_back(each);
    for (tenon_tensor* each : slopes) grads.emplace_back(each);
    return status;
  }

  std::vector<std::string> log;
  std::deque<Callback> callbacks;
};

}  // namespace tenon::tests
