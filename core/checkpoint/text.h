// SPDX-License-Identifier: Apache-2.0
// core/checkpoint/text.h: names and numbers as a checkpoint's file holds them.
#pragma once

#include <tenon/types.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "core/registry/values.h"

namespace tenon::checkpoint {

// "model.0.weight"
inline std::string name_in(std::string_view part, std::string_view name) {
  return part.empty() ? std::string(name) : std::string(part) + "." + std::string(name);
}

inline std::string text_of(const tenon_value& value) {
  if (value.tag == TENON_VALUE_F64) return registry::float_text(value.as.f64);
  if (value.tag == TENON_VALUE_STRING) return {value.as.string, value.count};
  if (value.tag == TENON_VALUE_BOOL) return value.as.i64 ? "true" : "false";
  return std::to_string(value.as.i64);
}

// All of the text; none if it is not such a number.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

// Of the types that hyper-parameters and values have; a text is borrowed.
inline std::optional<tenon_value> value_of(std::string_view text, uint32_t tag) {
  if (tag == TENON_VALUE_F64) {
    const auto number = number_of<double>(text);
    return number ? std::optional(registry::float_value(*number)) : std::nullopt;
  }
  if (tag == TENON_VALUE_STRING) return registry::string_value(text);
  if (tag == TENON_VALUE_BOOL) {
    if (text != "true" && text != "false") return std::nullopt;
    return registry::bool_value(text == "true");
  }
  const auto number = number_of<int64_t>(text);
  return number ? std::optional(tenon_value{tag, 0, {.i64 = *number}}) : std::nullopt;
}

}  // namespace tenon::checkpoint
