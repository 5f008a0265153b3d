// SPDX-License-Identifier: Apache-2.0
// plugins/tvm_ffi/field.cc: see field.hpp.
#include "field.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace tenon::tvm_ffi {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMaxDepth = 8;

std::string shown(const Json& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  const std::string all = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return all.size() <= 64 ? all : all.substr(0, 61) + "...";
}

[[noreturn]] void refuse_text(const std::string& words) {
  throw sdk::Failure{TENON_E_DATA, "the description " + words};
}

}  // namespace

void Field::refuse(const std::string& expected, const std::string& hint) const {
  throw sdk::Failure{TENON_E_DATA,
                     path_ + ": expected " + expected + ", found " +
                         (is_null() ? "nothing" : shown(*value_)) +
                         (hint.empty() ? "" : "; " + hint),
                     path_,
                     expected,
                     shown(*value_),
                     hint};
}

std::string Field::text() const {
  require(value_->is_string(), "a text");
  std::string text = value_->get<std::string>();
  if (text.find('\0') != std::string::npos) refuse("a text without zero bytes");
  return text;
}

bool Field::flag() const {
  require(value_->is_boolean(), "true or false");
  return value_->get<bool>();
}

int64_t Field::whole(int64_t least, int64_t greatest) const {
  const std::string range = std::to_string(least) + " to " + std::to_string(greatest);
  // An unsigned one may be above all that are signed.
  const bool fits = value_->is_number_integer() && value_->get<double>() >= double(least) &&
                    value_->get<double>() <= double(greatest);
  if (!fits) refuse("a whole number from " + range);
  return value_->get<int64_t>();
}

double Field::real_not_negative() const {
  require(value_->is_number() && value_->get<double>() >= 0 && std::isfinite(value_->get<double>()),
          "a number, 0 or more");
  return value_->get<double>();
}

std::vector<Field> Field::items() const {
  require(value_->is_array(), "a list");
  std::vector<Field> items;
  for (size_t i = 0; i < value_->size(); ++i) {
    items.emplace_back((*value_)[i], path_ + "[" + std::to_string(i) + "]");
  }
  return items;
}

std::vector<std::pair<std::string, Field>> Field::members() const {
  require(value_->is_object(), "an object");
  std::vector<std::pair<std::string, Field>> members;
  for (const auto& [name, value] : value_->items()) {
    members.emplace_back(name, Field(value, child(name)));
  }
  return members;
}

Field Field::find(const char* name) const {
  static const Json none;
  require(value_->is_object(), "an object");
  const auto found = value_->find(name);
  return {found == value_->end() ? none : *found, child(name)};
}

Field Field::operator[](const char* name) const {
  Field found = find(name);
  if (found.is_null()) found.refuse("a value");
  return found;
}

void Field::allow(std::initializer_list<const char*> names) const {
  for (const auto& [name, member] : members()) {
    if (std::ranges::find(names, name) != names.end()) continue;
    std::string known;
    for (const char* each : names) known += (known.empty() ? "" : ", ") + std::string(each);
    member.refuse("no such member", "there are: " + known);
  }
}

nlohmann::ordered_json read_json(const std::string& text) {
  std::vector<std::set<std::string>> open;  // names of the objects that are being read
  const auto look = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kMaxDepth) {
      refuse_text("is nested too deeply: expected at most " + std::to_string(kMaxDepth) +
                  " levels");
    }
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key) {
      const auto name = parsed.get<std::string>();
      if (!open.back().insert(name).second) refuse_text("has the name \"" + name + "\" twice");
    }
    return true;
  };
  try {
    return Json::parse(text, look);
  } catch (const Json::exception& error) {
    const std::string words = error.what();
    const size_t end = words.find("] ");
    refuse_text("is not JSON: " + (end == std::string::npos ? words : words.substr(end + 2)));
  }
}

}  // namespace tenon::tvm_ffi
