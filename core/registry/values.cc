// SPDX-License-Identifier: Apache-2.0
// core/registry/values.cc: attribute values.
#include "core/registry/values.h"

#include <bit>
#include <charconv>
#include <iterator>

#include "core/tensor/dtype.h"
#include "core/tensor/layout.h"

namespace tenon::registry {

ValueStore::ValueStore(std::span<const tenon_value> values)
    : values_(values.begin(), values.end()) {
  const auto count = [&values](uint32_t tag) {
    return static_cast<size_t>(std::count_if(values.begin(), values.end(),
                                             [tag](const tenon_value& v) { return v.tag == tag; }));
  };
  // No growth later: a short string lives inside its object, whose address is handed out.
  ints_.reserve(count(TENON_VALUE_INT_LIST));
  floats_.reserve(count(TENON_VALUE_FLOAT_LIST));
  strings_.reserve(count(TENON_VALUE_STRING));
  for (tenon_value& value : values_) {
    if (value.tag == TENON_VALUE_INT_LIST) {
      ints_.emplace_back(value.as.ints, value.as.ints + value.count);
      value.as.ints = ints_.back().data();
    } else if (value.tag == TENON_VALUE_FLOAT_LIST) {
      floats_.emplace_back(value.as.floats, value.as.floats + value.count);
      value.as.floats = floats_.back().data();
    } else if (value.tag == TENON_VALUE_STRING) {
      strings_.emplace_back(value.as.string, value.count);
      value.as.string = strings_.back().data();
    }
  }
}

std::string tag_name(uint32_t tag) {
  static constexpr std::string_view names[] = {
      "none",  "a tensor", "a list of tensors", "int", "float", "bool", "str", "int[]",
      "dtype", "float[]"};
  static_assert(std::size(names) == TENON_VALUE_FLOAT_LIST + 1);
  return tag < std::size(names) ? std::string(names[tag]) : "unknown tag " + std::to_string(tag);
}

std::string float_text(double number) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

std::string value_text(const tenon_value& value) {
  switch (value.tag) {
    case TENON_VALUE_I64:
      return std::to_string(value.as.i64);
    case TENON_VALUE_BOOL:
      return value.as.i64 ? "true" : "false";
    case TENON_VALUE_F64:
      return float_text(value.as.f64);
    case TENON_VALUE_STRING:
      return '"' + std::string(value.as.string, value.count) + '"';
    case TENON_VALUE_INT_LIST:
      return tensor::dims_text({value.as.ints, value.count});
    case TENON_VALUE_FLOAT_LIST: {
      std::string text = "[";
      for (uint32_t i = 0; i < value.count; ++i) {
        text += (i ? "," : "") + float_text(value.as.floats[i]);
      }
      return text + "]";
    }
    case TENON_VALUE_DTYPE:
      return tensor::dtype_text(static_cast<tenon_dtype>(value.as.dtype));
    default:
      return tag_name(value.tag);
  }
}

uint64_t scalar_bits(const tenon_value& number, tenon_dtype dtype) {
  const bool real = number.tag == TENON_VALUE_F64;
  const double value = real ? number.as.f64 : static_cast<double>(number.as.i64);
  switch (dtype) {
    case TENON_DTYPE_F64:
      return std::bit_cast<uint64_t>(value);
    case TENON_DTYPE_F32:
      return std::bit_cast<uint32_t>(static_cast<float>(value));
    case TENON_DTYPE_F16:
      return tensor::float_to_half(static_cast<float>(value));
    case TENON_DTYPE_BF16:
      return tensor::float_to_bfloat(static_cast<float>(value));
    case TENON_DTYPE_BOOL:
      return value != 0 ? 1 : 0;
    default:  // integers: little-endian two's complement, low bytes first
      return static_cast<uint64_t>(real ? static_cast<int64_t>(value) : number.as.i64);
  }
}

namespace {

struct ToValue {
  tenon_value operator()(std::monostate) const { return {}; }
  tenon_value operator()(int64_t value) const { return int_value(value); }
  tenon_value operator()(double value) const { return float_value(value); }
  tenon_value operator()(bool value) const { return bool_value(value); }
  tenon_value operator()(const std::string& value) const { return string_value(value); }
  tenon_value operator()(tenon_dtype value) const { return dtype_value(value); }
  tenon_value operator()(const std::vector<int64_t>& value) const { return ints_value(value); }
};

}  // namespace

tenon_value default_value(const Attr& attr) {
  return attr.def ? std::visit(ToValue(), *attr.def) : tenon_value{};
}

}  // namespace tenon::registry
