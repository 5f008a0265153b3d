// SPDX-License-Identifier: Apache-2.0
// tests/evolution/evolution_support.cc: a runtime over chosen plugins.
#include "tests/evolution/evolution_support.h"

#include "tests/support/paths.h"

namespace tenon::tests {

std::string test_plugin(const std::string& id) {
  return std::string(test_plugin_dir()) + "/evolution/" + id;
}

Session::Session(const std::vector<std::string>& folders, const char* check, bool with_own) {
  std::vector<std::string> searched;
  if (with_own) searched.emplace_back(plugin_dir());
  searched.insert(searched.end(), folders.begin(), folders.end());
  std::vector<tenon_string> paths;
  for (const std::string& folder : searched) paths.push_back({folder.data(), folder.size()});
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS;
  options.paths = paths.data();
  options.n_paths = static_cast<uint32_t>(paths.size());
  options.check = {check, TENON_NUL};
  tenon_diag diag{};
  EXPECT_EQ(tenon_runtime_create(&options, &diag, &runtime), TENON_OK) << diag.message;
  EXPECT_EQ(tenon_context_create(runtime, &diag, &context), TENON_OK) << diag.message;
}

Session::~Session() {
  tenon_context_release(context);
  tenon_runtime_release(runtime);
}

void Session::must(tenon_status status) {
  if (status != TENON_OK) FAIL() << refusal(status, status);
}

std::string Session::refusal(tenon_status found, tenon_status expected) {
  EXPECT_EQ(found, expected) << tenon_status_get_name(found);
  if (found == TENON_OK) return "not refused";
  tenon_error error{};
  error.struct_size = sizeof error;
  if (tenon_context_get_error(context, &error) != TENON_OK) return "no error record";
  std::string all;
  for (const char* field : {error.message, error.op, error.operand, error.expected, error.found,
                            error.plugin, error.hint}) {
    all += std::string(field) + "\n";
  }
  return all;
}

Tensor Session::tensor(const Floats& values) {
  const auto length = static_cast<int64_t>(values.size());
  tenon_tensor* out = nullptr;
  must(tenon_tensor_create_from(context, TENON_DTYPE_F32, nullptr, 1, &length, values.data(),
                                values.size() * sizeof(float), &out));
  return Tensor(out);
}

Tensor Session::parameter(const Floats& values) {
  Tensor out = tensor(values);
  must(tenon_tensor_set_requires_grad(context, out.get(), 1));
  return out;
}

Tensor Session::every_second(const Tensor& base) {
  const auto length = static_cast<int64_t>(floats(base.get()).size() / 2);
  const int64_t stride = 2;
  tenon_tensor* out = nullptr;
  must(tenon_tensor_create_view(context, base.get(), 1, &length, &stride, 0, &out));
  return Tensor(out);
}

Floats Session::floats(const tenon_tensor* tensor) {
  tenon_tensor_info info{};
  info.struct_size = sizeof info;
  must(tenon_tensor_get_info(context, tensor, &info));
  Floats values(static_cast<size_t>(info.elements));
  must(tenon_tensor_get_data(context, tensor, values.data(), values.size() * sizeof(float)));
  return values;
}

Floats Session::grad(const Tensor& leaf) {
  tenon_tensor* grad = nullptr;
  must(tenon_tensor_get_grad(context, leaf.get(), &grad));
  return grad ? floats(grad) : Floats();
}

const tenon_op* Session::op(std::string_view name) {
  const tenon_op* out = nullptr;
  must(tenon_op_find(context, name.data(), name.size(), 0, &out));
  return out;
}

tenon_status Session::try_call(std::string_view name, const Inputs& inputs, const Inputs& attrs,
                               std::vector<Tensor>& outputs) {
  std::vector<tenon_tensor*> made(outputs.size());
  const tenon_status status = tenon_op_call(
      context, op(name), inputs.data(), static_cast<uint32_t>(inputs.size()), attrs.data(),
      static_cast<uint32_t>(attrs.size()), made.data(), static_cast<uint32_t>(made.size()));
  for (size_t i = 0; i < made.size(); ++i) outputs[i] = Tensor(made[i]);
  return status;
}

std::vector<Tensor> Session::call(std::string_view name, const Inputs& inputs, const Inputs& attrs,
                                  size_t n_outputs) {
  std::vector<Tensor> outputs(n_outputs);
  must(try_call(name, inputs, attrs, outputs));
  return outputs;
}

void Session::apply(std::string_view name, const Inputs& inputs, const Tensor& out) {
  tenon_tensor* const outputs[] = {out.get()};
  must(tenon_op_call_into(context, op(name), inputs.data(), static_cast<uint32_t>(inputs.size()),
                          nullptr, 0, outputs, 1));
}

void Session::backward(const Tensor& output) {
  const Tensor seed = tensor(Floats(floats(output.get()).size(), 1.0f));
  tenon_tensor* const root = output.get();
  tenon_tensor* const seeds = seed.get();
  must(tenon_backward_run(context, &root, &seeds, 1, 0));
}

nlohmann::json Session::explain(std::string_view name, const Inputs& inputs, const Inputs& attrs) {
  tenon_text* text = nullptr;
  must(tenon_op_explain(context, op(name), inputs.data(), static_cast<uint32_t>(inputs.size()),
                        attrs.data(), static_cast<uint32_t>(attrs.size()), &text));
  const char* data = nullptr;
  uint64_t length = 0;
  must(tenon_text_get(text, &data, &length));
  nlohmann::json json = nlohmann::json::parse(data, data + length);
  tenon_text_release(text);
  return json;
}

std::string Session::reason(const nlohmann::json& explained, std::string_view id) {
  for (const auto& candidate : explained.at("candidates")) {
    if (candidate.at("plugin") == id) return candidate.at("reason");
  }
  return "not a candidate";
}

nlohmann::json Session::query(std::string_view topic) {
  tenon_text* text = nullptr;
  must(tenon_runtime_query(context, topic.data(), topic.size(), &text));
  const char* data = nullptr;
  uint64_t length = 0;
  must(tenon_text_get(text, &data, &length));
  nlohmann::json json = nlohmann::json::parse(data, data + length);
  tenon_text_release(text);
  return json;
}

nlohmann::json Session::plugin(std::string_view id) {
  query("ops");  // opens everything
  for (auto& entry : query("plugins")) {
    if (entry.at("id") == id) return entry;
  }
  return {};
}

}  // namespace tenon::tests
