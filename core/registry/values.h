// SPDX-License-Identifier: Apache-2.0
// core/registry/values.h: deep copies of attribute values, and words for them.
#pragma once

#include <tenon/types.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/registry/schema.h"
#include "core/tensor/tensor.h"

namespace tenon::registry {

// Owns copies of values that are not tensors. Moving keeps the copies' addresses.
class ValueStore {
 public:
  ValueStore() = default;
  [[gnu::cold]] explicit ValueStore(std::span<const tenon_value> values);
  std::span<const tenon_value> values() const { return values_; }

 private:
  std::vector<tenon_value> values_;
  std::vector<std::vector<int64_t>> ints_;
  std::vector<std::vector<double>> floats_;
  std::vector<std::string> strings_;
};

inline tenon_value tensor_value(tensor::Tensor& tensor) {
  return {TENON_VALUE_TENSOR, 0, {.tensor = tensor::handle(&tensor)}};
}
inline tenon_value int_value(int64_t number) { return {TENON_VALUE_I64, 0, {.i64 = number}}; }
inline tenon_value float_value(double number) { return {TENON_VALUE_F64, 0, {.f64 = number}}; }
inline tenon_value bool_value(bool truth) { return {TENON_VALUE_BOOL, 0, {.i64 = truth ? 1 : 0}}; }
inline tenon_value dtype_value(tenon_dtype dtype) {
  return {TENON_VALUE_DTYPE, 0, {.dtype = dtype}};
}
// Of what is borrowed.
inline tenon_value ints_value(std::span<const int64_t> ints) {
  return {TENON_VALUE_INT_LIST, static_cast<uint32_t>(ints.size()), {.ints = ints.data()}};
}
inline tenon_value string_value(std::string_view text) {
  return {TENON_VALUE_STRING, static_cast<uint32_t>(text.size()), {.string = text.data()}};
}
inline tenon_value tensors_value(tenon_tensor* const* list, size_t count) {
  return {TENON_VALUE_TENSOR_LIST, static_cast<uint32_t>(count), {.tensors = list}};
}
// A descriptor's string, borrowed; empty for NULL.
inline std::string_view text_view(const tenon_string& text) {
  if (!text.data) return {};
  return text.length == TENON_NUL ? std::string_view(text.data)
                                  : std::string_view(text.data, static_cast<size_t>(text.length));
}

// "int", "float", "tensor", ... of a value.
std::string tag_name(uint32_t tag);
// "3", "[1,2]", "f32"
std::string value_text(const tenon_value& value);
// The shortest text that gives the same bits when it is read.
std::string float_text(double number);
// The number in `dtype`, little-endian in the low bytes.
uint64_t scalar_bits(const tenon_value& number, tenon_dtype dtype);
// The default as a value; pointers lead into `attr`.
tenon_value default_value(const Attr& attr);

}  // namespace tenon::registry
