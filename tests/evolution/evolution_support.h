// SPDX-License-Identifier: Apache-2.0
// tests/evolution/evolution_support.h: a runtime over chosen plugins, and calls on it by op name.
#pragma once

#include <gmock/gmock.h>
#include <tenon/tenon.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::tests {

struct ReleaseTensor {
  void operator()(tenon_tensor* tensor) const { tenon_tensor_release(tensor); }
};
using Tensor = std::unique_ptr<tenon_tensor, ReleaseTensor>;
using Floats = std::vector<float>;
using Inputs = std::vector<tenon_value>;

inline tenon_value value_of(const Tensor& tensor) {
  tenon_value value{TENON_VALUE_TENSOR, 0, {}};
  value.as.tensor = tensor.get();
  return value;
}
inline tenon_value value_of(double number) {
  tenon_value value{TENON_VALUE_F64, 0, {}};
  value.as.f64 = number;
  return value;
}
inline tenon_value value_of(int64_t number) {
  tenon_value value{TENON_VALUE_I64, 0, {}};
  value.as.i64 = number;
  return value;
}

// A runtime that sees the plugin folders given and, unless told otherwise, the tree's own plugins.
class Session {
 public:
  explicit Session(const std::vector<std::string>& folders, const char* check = "",
                   bool with_own = true);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Fails the test with the error record.
  void must(tenon_status status);
  // The record's fields, joined by newlines, of a call that must fail with `expected`.
  std::string refusal(tenon_status found, tenon_status expected);

  Tensor tensor(const Floats& values);
  Tensor parameter(const Floats& values);
  // Every second element of `base`.
  Tensor every_second(const Tensor& base);
  Floats floats(const tenon_tensor* tensor);
  Floats grad(const Tensor& leaf);

  const tenon_op* op(std::string_view name);
  tenon_status try_call(std::string_view name, const Inputs& inputs, const Inputs& attrs,
                        std::vector<Tensor>& outputs);
  // All of the first `n_outputs` outputs.
  std::vector<Tensor> call(std::string_view name, const Inputs& inputs, const Inputs& attrs = {},
                           size_t n_outputs = 1);
  void apply(std::string_view name, const Inputs& inputs, const Tensor& out);
  // The gradient of sum(output).
  void backward(const Tensor& output);

  nlohmann::json explain(std::string_view name, const Inputs& inputs, const Inputs& attrs = {});
  // Plugin `id`'s reason for not serving the call; "" where it may.
  std::string reason(const nlohmann::json& explained, std::string_view id);
  nlohmann::json query(std::string_view topic);
  // Of the "plugins" topic, after everything was opened.
  nlohmann::json plugin(std::string_view id);

  tenon_runtime* runtime = nullptr;
  tenon_context* context = nullptr;
};

// A plugin of tests/evolution/plugins.
std::string test_plugin(const std::string& id);

}  // namespace tenon::tests
