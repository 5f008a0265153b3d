// SPDX-License-Identifier: Apache-2.0
// sdk/common/session.cc: runtime, context, and words for a failure.
#include "session.h"

namespace tenon::tools {
namespace {

[[noreturn]] void fail(tenon_status status, const tenon_diag& diag) {
  throw Failure{std::string(diag.message[0] ? diag.message : "failed") + " [" +
                tenon_status_get_name(status) + "]"};
}

void add_line(std::string& text, const char* name, const char* value) {
  if (value != nullptr && *value != 0) text += std::string("\n  ") + name + value;
}

std::string describe(const tenon_error& error) {
  std::string text = std::string(error.message) + " [" + tenon_status_get_name(error.status) + "]";
  add_line(text, "op        ", error.op);
  add_line(text, "operand   ", error.operand);
  add_line(text, "expected  ", error.expected);
  add_line(text, "found     ", error.found);
  add_line(text, "plugin    ", error.plugin);
  add_line(text, "hint      ", error.hint);
  for (uint32_t i = 0; i < error.n_causes; ++i) add_line(text, "cause     ", error.causes[i]);
  return text;
}

std::vector<tenon_string> borrowed(const std::vector<std::string>& strings) {
  std::vector<tenon_string> list;
  for (const std::string& text : strings) list.push_back({text.data(), text.size()});
  return list;
}

}  // namespace

Session::Session(const Options& options, const RuntimeSettings& settings) {
  std::vector<std::string> folders;
  for (const std::string& given : options.plugin_paths) folders.push_back(absolute_path(given));
  const std::vector<tenon_string> paths = borrowed(folders);
  const std::vector<tenon_string> exclude = borrowed(options.exclude);
  const std::string allowlist =
      options.allowlist.empty() ? std::string() : absolute_path(options.allowlist);
  tenon_runtime_options runtime_options{};
  runtime_options.struct_size = sizeof runtime_options;
  if (options.only_paths) {
    runtime_options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
  }
  runtime_options.paths = paths.data();
  runtime_options.n_paths = static_cast<uint32_t>(paths.size());
  runtime_options.exclude = exclude.data();
  runtime_options.n_exclude = static_cast<uint32_t>(exclude.size());
  runtime_options.check = {settings.check.data(), settings.check.size()};
  runtime_options.threads = settings.threads;
  if (!allowlist.empty()) {
    runtime_options.policy = TENON_POLICY_ALLOWLIST;
    runtime_options.allowlist = {allowlist.data(), allowlist.size()};
  }
  tenon_diag diag{};
  tenon_status status = tenon_runtime_create(&runtime_options, &diag, &runtime_);
  if (status != TENON_OK) fail(status, diag);
  status = tenon_context_create(runtime_, &diag, &context_);
  if (status != TENON_OK) {
    tenon_runtime_release(runtime_);
    fail(status, diag);
  }
}

Session::~Session() {
  tenon_context_release(context_);
  tenon_runtime_release(runtime_);
}

Json Session::query(std::string_view topic) const {
  tenon_text* text = nullptr;
  check(tenon_runtime_query(context_, topic.data(), topic.size(), &text));
  return Json::parse(take_text(text));
}

const tenon_op* Session::op(const std::string& name) const {
  const auto known = ops_.find(name);
  if (known != ops_.end()) return known->second;
  const tenon_op* found = nullptr;
  check(tenon_op_find(context_, name.data(), name.size(), 0, &found));
  ops_.emplace(name, found);
  return found;
}

void Session::check(tenon_status status) const {
  if (status == TENON_OK) return;
  tenon_error error{};
  error.struct_size = sizeof error;
  if (tenon_context_get_error(context_, &error) != TENON_OK) {
    throw Failure{tenon_status_get_name(status)};
  }
  throw Failure{describe(error)};
}

bool is_for_another_processor(const Json& plugin) {
  const std::string reason = plugin.at("reason");
  return plugin.at("state") == "refused" && reason.starts_with("it needs the CPU feature ") &&
         reason.ends_with(", which this machine does not have");
}

std::string verdict_text(const Json& plugin) {
  const std::string stage = plugin.at("stage");
  return plugin.at("state").get<std::string>() + (stage.empty() ? "" : " (" + stage + ")") + ": " +
         plugin.at("reason").get<std::string>();
}

std::string take_text(tenon_text* text) {
  const char* data = nullptr;
  uint64_t length = 0;
  std::string bytes;
  if (tenon_text_get(text, &data, &length) == TENON_OK) bytes.assign(data, length);
  tenon_text_release(text);
  return bytes;
}

}  // namespace tenon::tools
