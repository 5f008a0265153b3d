// SPDX-License-Identifier: Apache-2.0
// plugins/tvm_ffi/field.hpp: values of a description, read with their place, so that what is wrong
// is said by name. The text may be any bytes.
#pragma once

#include <tenon/sdk/plugin/base.hpp>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tenon::tvm_ffi {

// The JSON of the whole description outlives it.
class Field {
 public:
  Field(const nlohmann::ordered_json& value, std::string path)
      : value_(&value), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  bool is_null() const { return value_->is_null(); }
  bool is_text() const { return value_->is_string(); }
  bool is_list() const { return value_->is_array(); }

  // Each refuses a value of another kind.
  std::string text() const;
  bool flag() const;
  int64_t whole(int64_t least, int64_t greatest) const;
  double real_not_negative() const;
  std::vector<Field> items() const;
  std::vector<std::pair<std::string, Field>> members() const;
  // A member of an object. Without one: refused, or null.
  Field operator[](const char* name) const;
  Field find(const char* name) const;
  // Refuses members of other names.
  void allow(std::initializer_list<const char*> names) const;

  [[noreturn]] void refuse(const std::string& expected, const std::string& hint = {}) const;

 private:
  void require(bool fits, const char* expected) const {
    if (!fits) refuse(expected);
  }
  std::string child(const std::string& name) const {
    return path_.empty() ? name : path_ + "." + name;
  }

  const nlohmann::ordered_json* value_;
  std::string path_;
};

// Refuses what is not JSON, names given twice, and more levels than a description has.
nlohmann::ordered_json read_json(const std::string& text);

}  // namespace tenon::tvm_ffi
