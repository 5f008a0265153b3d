// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/sample_value.hpp: what a parsed sample text holds, as values of a call.
#pragma once

#include <tenon/types.h>
#include <tenon/sdk/plugin/sample.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tenon::sdk {

// TENON_DTYPE_NONE for a name that is not a dtype's; the parser lets none through.
inline tenon_dtype sample_dtype(std::string_view name) {
  static constexpr std::pair<std::string_view, tenon_dtype> names[] = {
      {"bool", TENON_DTYPE_BOOL}, {"u8", TENON_DTYPE_U8},     {"i8", TENON_DTYPE_I8},
      {"i16", TENON_DTYPE_I16},   {"i32", TENON_DTYPE_I32},   {"i64", TENON_DTYPE_I64},
      {"f16", TENON_DTYPE_F16},   {"bf16", TENON_DTYPE_BF16}, {"f32", TENON_DTYPE_F32},
      {"f64", TENON_DTYPE_F64}};
  for (const auto& [known, dtype] : names) {
    if (known == name) return dtype;
  }
  return TENON_DTYPE_NONE;
}

inline tenon_value sample_value(const SampleScalar& scalar) {
  tenon_value value{};
  if (const auto* flag = std::get_if<bool>(&scalar)) {
    value.tag = TENON_VALUE_BOOL;
    value.as.i64 = *flag ? 1 : 0;
  } else if (const auto* integer = std::get_if<int64_t>(&scalar)) {
    value.tag = TENON_VALUE_I64;
    value.as.i64 = *integer;
  } else {
    value.tag = TENON_VALUE_F64;
    value.as.f64 = std::get<double>(scalar);
  }
  return value;
}

// An attribute; NONE if the sample says none. Pointers lead into `given`.
inline tenon_value sample_attribute(const SampleValue& given) {
  tenon_value value{};
  if (std::holds_alternative<std::monostate>(given)) return value;
  if (const auto* text = std::get_if<std::string>(&given)) {
    value.tag = TENON_VALUE_STRING;
    value.count = static_cast<uint32_t>(text->size());
    value.as.string = text->data();
  } else if (const auto* ints = std::get_if<std::vector<int64_t>>(&given)) {
    value.tag = TENON_VALUE_INT_LIST;
    value.count = static_cast<uint32_t>(ints->size());
    value.as.ints = ints->data();
  } else if (const auto* floats = std::get_if<std::vector<double>>(&given)) {
    value.tag = TENON_VALUE_FLOAT_LIST;
    value.count = static_cast<uint32_t>(floats->size());
    value.as.floats = floats->data();
  } else if (const auto* dtype = std::get_if<SampleDtype>(&given)) {
    value.tag = TENON_VALUE_DTYPE;
    value.as.dtype = sample_dtype(dtype->name);
  } else if (const auto* flag = std::get_if<bool>(&given)) {
    return sample_value(*flag);
  } else if (const auto* integer = std::get_if<int64_t>(&given)) {
    return sample_value(*integer);
  } else {
    return sample_value(std::get<double>(given));
  }
  return value;
}

}  // namespace tenon::sdk
