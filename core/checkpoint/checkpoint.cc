// SPDX-License-Identifier: Apache-2.0
// core/checkpoint/checkpoint.cc: the parts of a run.
#include "core/checkpoint/checkpoint.h"

#include "core/json/writer.h"

namespace tenon::checkpoint {

Value::Value(const tenon_value& value) : number(value) {
  if (value.tag == TENON_VALUE_STRING) text.assign(value.as.string, value.count);
}

tenon_value Value::get() const {
  if (number.tag != TENON_VALUE_STRING) return number;
  return registry::string_value(text);
}

std::string group_sizes(const optim::Optimizer& optimizer) {
  std::string sizes;
  for (uint32_t group = 0; group < optimizer.n_groups(); ++group) {
    sizes += (group == 0 ? "" : " ") + std::to_string(optimizer.size_of_group(group));
  }
  return sizes;
}

std::string hyper_name(const optim::Optimizer& optimizer, uint32_t group, std::string_view name) {
  if (optimizer.n_groups() == 1) return std::string(name);
  return "group." + std::to_string(group) + "." + std::string(name);
}

namespace {

[[noreturn]] void refuse_name(std::string_view name, const std::string& what,
                              const std::string& expected) {
  fail(TENON_E_ARGUMENT, "checkpoint: the name " + what, "name", expected,
       name.empty() ? "an empty text" : "\"" + std::string(name) + "\"");
}

// "a" and "a.b": tensors of the first could have the names of the second's.
bool conflict(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  return a.size() < b.size() && b.starts_with(a) && b[a.size()] == '.';
}

}  // namespace

void Checkpoint::set(std::string_view name, Part part) {
  if (name.empty()) refuse_name(name, "is empty", "at least one character");
  if (!json::is_utf8(name)) refuse_name("?", "is not UTF-8", "UTF-8");
  if (name == "rng" || conflict(name, "rng")) {
    refuse_name(name, "is that of the random numbers", "another name than \"rng\"");
  }
  for (const auto& [other, unused] : parts_) {
    if (!conflict(name, other)) continue;
    refuse_name(
        name, "is in conflict with that of another part",
        "no name that begins as another one and goes on with a dot, as with \"" + other + "\"");
  }
  parts_.insert_or_assign(std::string(name), std::move(part));
}

tenon_value Checkpoint::value(std::string_view name) const {
  const auto found = parts_.find(name);
  if (found != parts_.end()) {
    if (const auto* value = std::get_if<Value>(&found->second)) return value->get();
  }
  std::string known;
  for (const auto& [each, part] : parts_) {
    if (std::holds_alternative<Value>(part)) known += (known.empty() ? "" : " ") + each;
  }
  fail(TENON_E_NOT_FOUND, "checkpoint: there is no value \"" + std::string(name) + "\"", "name",
       known.empty() ? "a value set before" : "one of: " + known, std::string(name));
}

}  // namespace tenon::checkpoint
