// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/json_field.hpp: values of a JSON file of others, read with their place, so
// that what is wrong is said by name.
#pragma once

#include <tenon/sdk/plugin/base.hpp>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tenon::tokenizer_json {

// The JSON of the whole file outlives it.
class Field {
 public:
  Field(const nlohmann::json& value, std::string path, int depth = 0)
      : value_(&value), path_(std::move(path)), depth_(depth) {
    if (depth > kDeepest) refuse(TENON_E_DATA, "it is nested too deeply", "fewer levels");
  }

  // A member; null if it is not there.
  Field operator[](const char* name) const {
    static const nlohmann::json none;
    require(value_->is_object(), "an object");
    const auto found = value_->find(name);
    return {found == value_->end() ? none : *found, path_.empty() ? name : path_ + "." + name,
            depth_ + 1};
  }
  bool is_object() const { return value_->is_object(); }
  bool is_null() const { return value_->is_null(); }
  bool is_zero_or_null() const {
    return is_null() || (value_->is_number() && value_->get<double>() == 0);
  }
  bool is_text() const { return value_->is_string(); }
  bool is_whole() const { return value_->is_number_integer(); }
  bool is_list() const { return value_->is_array(); }

  std::string text() const {
    require(value_->is_string(), "a text");
    return value_->get<std::string>();
  }
  std::string text_or(const char* otherwise) const { return is_null() ? otherwise : text(); }
  bool flag() const {
    require(value_->is_boolean(), "true or false");
    return value_->get<bool>();
  }
  bool flag_or(bool otherwise) const { return is_null() ? otherwise : flag(); }
  double number() const {
    require(value_->is_number(), "a number");
    return value_->get<double>();
  }
  int64_t whole() const {
    require(value_->is_number_integer() && value_->get<double>() <= 9e15, "a whole number");
    return value_->get<int64_t>();
  }
  int64_t whole_or(int64_t otherwise) const { return is_null() ? otherwise : whole(); }
  std::vector<Field> list() const {
    require(value_->is_array(), "a list");
    std::vector<Field> items;
    items.reserve(value_->size());
    for (size_t i = 0; i < value_->size(); ++i) {
      items.emplace_back((*value_)[i], path_ + "[" + std::to_string(i) + "]", depth_ + 1);
    }
    return items;
  }
  std::vector<std::pair<std::string, Field>> members() const {
    require(value_->is_object(), "an object");
    std::vector<std::pair<std::string, Field>> all;
    for (const auto& [name, value] : value_->items()) {
      all.emplace_back(name, Field(value, path_ + "." + name, depth_ + 1));
    }
    return all;
  }

  [[noreturn]] void refuse(tenon_status status, const std::string& what,
                           const std::string& expected, const std::string& hint = {}) const {
    throw sdk::Failure{status, path_ + ": " + what, path_, expected, shown(), hint};
  }
  // Something that other programs know.
  [[noreturn]] void refuse_unknown(const std::string& what, const std::string& known,
                                   const std::string& hint = {}) const {
    refuse(TENON_E_UNSUPPORTED, what + " is not offered here", "one of: " + known, hint);
  }

 private:
  void require(bool fits, const char* expected) const {
    if (!fits) refuse(TENON_E_DATA, std::string("it is not ") + expected, expected);
  }
  std::string shown() const {
    const std::string all =
        value_->is_structured()
            ? std::string(value_->type_name())
            : value_->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    return all.size() <= 64 ? all : all.substr(0, 61) + "...";
  }

  static constexpr int kDeepest = 64;  // readers of lists of steps call themselves
  const nlohmann::json* value_;
  std::string path_;
  int depth_;
};

}  // namespace tenon::tokenizer_json
