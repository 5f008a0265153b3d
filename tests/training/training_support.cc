// SPDX-License-Identifier: Apache-2.0
// tests/training/training_support.cc: a context on the tree's own plugins, and files to train with.
#include "tests/training/training_support.h"

#include <stdlib.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/paths.h"

namespace tenon::tests {

void Training::SetUp() {
  std::string pattern = (std::filesystem::temp_directory_path() / "tenon-XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  folder = pattern;
  const std::string plugins = plugin_dir();
  const tenon_string paths[] = {{plugins.data(), plugins.size()}};
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS;
  options.paths = paths;
  options.n_paths = 1;
  tenon_diag diag{};
  ASSERT_EQ(tenon_runtime_create(&options, &diag, &runtime), TENON_OK) << diag.message;
  ASSERT_EQ(tenon_context_create(runtime, &diag, &context), TENON_OK) << diag.message;
}

void Training::TearDown() {
  tenon_context_release(context);
  tenon_runtime_release(runtime);
  std::error_code ignored;
  if (!folder.empty()) std::filesystem::remove_all(folder, ignored);
}

void Training::must(tenon_status status) {
  if (status != TENON_OK) FAIL() << refused(status, status);
}

std::string Training::refused(tenon_status found, tenon_status expected) {
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

OptimizerStates Training::optimizer_states() {
  tenon_text* text = nullptr;
  must(tenon_runtime_query(context, "optimizers", TENON_NUL, &text));
  const char* data = nullptr;
  uint64_t length = 0;
  must(tenon_text_get(text, &data, &length));
  OptimizerStates all;
  for (const auto& kind : nlohmann::json::parse(std::string_view(data, length))) {
    std::vector<std::string>& states = all[kind.at("name")];
    for (const auto& state : kind.at("states")) states.push_back(state.at("name"));
  }
  tenon_text_release(text);
  return all;
}

Tensor Training::call(const char* name, const std::vector<tenon_value>& inputs,
                      const std::vector<std::pair<const char*, tenon_value>>& attributes) {
  const tenon_op* op = nullptr;
  must(tenon_op_find(context, name, TENON_NUL, 0, &op));
  std::vector<tenon_value> attrs;
  for (const auto& [attribute, value] : attributes) {
    uint32_t index = 0;
    must(tenon_op_find_attribute(context, op, attribute, TENON_NUL, &index));
    if (index >= attrs.size()) attrs.resize(index + 1);
    attrs[index] = value;
  }
  tenon_tensor* out = nullptr;
  must(tenon_op_call(context, op, inputs.data(), static_cast<uint32_t>(inputs.size()), attrs.data(),
                     static_cast<uint32_t>(attrs.size()), &out, 1));
  return Tensor(out);
}

Optimizer Training::optimizer(std::string_view name, std::vector<tenon_tensor*> params,
                              const std::vector<Option>& hypers) {
  const Options options(hypers);
  tenon_optimizer* out = nullptr;
  must(tenon_optimizer_create(context, name.data(), name.size(), params.data(),
                              static_cast<uint32_t>(params.size()), options.names.data(),
                              options.values.data(), static_cast<uint32_t>(options.names.size()),
                              &out));
  return Optimizer(out);
}

Transform Training::transform(std::string_view name, const std::vector<Option>& options) {
  const Options given(options);
  tenon_transform* made = nullptr;
  must(tenon_transform_create(context, name.data(), name.size(), given.names.data(),
                              given.values.data(), static_cast<uint32_t>(given.names.size()),
                              &made));
  return Transform(made);
}

Loader Training::loader(const Dataset& set, int64_t batch, uint64_t seed, uint32_t flags,
                        uint32_t workers) {
  tenon_loader* made = nullptr;
  must(tenon_loader_create(context, set.get(), batch, seed, flags, &made));
  Loader owned(made);
  if (workers) must(tenon_loader_set_workers(context, made, workers));
  return owned;
}

Dataset Training::dataset(std::string_view name, const std::vector<Option>& given) {
  const Options options(given);
  tenon_dataset* out = nullptr;
  must(tenon_dataset_create(context, name.data(), name.size(), options.names.data(),
                            options.values.data(), static_cast<uint32_t>(options.names.size()),
                            &out));
  return Dataset(out);
}

std::string Training::refused_dataset(std::string_view name, const std::vector<Option>& given,
                                      tenon_status expected) {
  const Options options(given);
  tenon_dataset* out = nullptr;
  const std::string words =
      refused(tenon_dataset_create(context, name.data(), name.size(), options.names.data(),
                                   options.values.data(),
                                   static_cast<uint32_t>(options.names.size()), &out),
              expected);
  EXPECT_EQ(out, nullptr);
  return words;
}

std::string Training::write(const std::string& name, const std::string& bytes) const {
  std::ofstream file(path(name), std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  EXPECT_TRUE(file.good());
  return path(name);
}

std::string idx_file(unsigned char code, const std::vector<uint32_t>& sizes,
                     const std::string& payload) {
  std::string bytes = {0, 0, static_cast<char>(code), static_cast<char>(sizes.size())};
  for (const uint32_t size : sizes) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(size >> shift);
  }
  return bytes + payload;
}

}  // namespace tenon::tests
