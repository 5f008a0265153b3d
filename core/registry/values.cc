// SPDX-License-Identifier: Apache-2.0
// core/registry/values.cc: attribute values.
#include "core/registry/values.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

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
  switch (tag) {
    case TENON_VALUE_NONE:
      return "none";
    case TENON_VALUE_TENSOR:
      return "a tensor";
    case TENON_VALUE_TENSOR_LIST:
      return "a list of tensors";
    case TENON_VALUE_I64:
      return "int";
    case TENON_VALUE_F64:
      return "float";
    case TENON_VALUE_BOOL:
      return "bool";
    case TENON_VALUE_STRING:
      return "str";
    case TENON_VALUE_INT_LIST:
      return "int[]";
    case TENON_VALUE_FLOAT_LIST:
      return "float[]";
    case TENON_VALUE_DTYPE:
      return "dtype";
    default:
      return "unknown tag " + std::to_string(tag);
  }
}

namespace {

std::string float_text(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}

}  // namespace

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

namespace {

template <class T>
uint64_t bits_of(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

}  // namespace

uint64_t scalar_bits(const tenon_value& number, tenon_dtype dtype) {
  const bool real = number.tag == TENON_VALUE_F64;
  const double value = real ? number.as.f64 : static_cast<double>(number.as.i64);
  switch (dtype) {
    case TENON_DTYPE_F64:
      return bits_of(value);
    case TENON_DTYPE_F32:
      return bits_of(static_cast<float>(value));
    case TENON_DTYPE_F16:
      return bits_of(tensor::float_to_half(static_cast<float>(value)));
    case TENON_DTYPE_BF16:
      return bits_of(tensor::float_to_bfloat(static_cast<float>(value)));
    case TENON_DTYPE_BOOL:
      return value != 0 ? 1 : 0;
    default:  // integers: little-endian two's complement, low bytes first
      return static_cast<uint64_t>(real ? static_cast<int64_t>(value) : number.as.i64);
  }
}

tenon_value default_value(const Attr& attr) {
  const AttrDefault& def = attr.def;
  if (!def.present || def.none) return {};
  switch (attr.kind) {
    case AttrKind::Int:
      return int_value(def.i);
    case AttrKind::Float:
      return float_value(def.f);
    case AttrKind::Bool:
      return bool_value(def.b);
    case AttrKind::String:
      return string_value(def.s);
    case AttrKind::Number:
      if (def.number_kind == tensor::ScalarKind::Float) return float_value(def.f);
      return def.number_kind == tensor::ScalarKind::Bool ? bool_value(def.b) : int_value(def.i);
    case AttrKind::Dtype:
      return dtype_value(def.d);
    case AttrKind::IntList:
      return ints_value(def.ints);
  }
  return {};
}

}  // namespace tenon::registry
