// SPDX-License-Identifier: Apache-2.0
// plugins/ops/rules.hpp: what the shape rules and backward rules of several ops share.
#pragma once

#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace tenon::rules {

// A list of sizes, axes or strides without the heap. A Value made from it borrows it.
class Dims {
 public:
  Dims() = default;
  explicit Dims(std::span<const int64_t> sizes) {
    for (const int64_t size : sizes) push(size);
  }
  explicit Dims(const tenon_meta& meta) : Dims(std::span(meta.shape, size_t(meta.rank))) {}

  void push(int64_t size) {
    if (count_ == sizes_.size()) {
      throw sdk::Failure{TENON_E_SHAPE, "more than 8 dimensions", "", "at most 8 dimensions",
                         "9 or more"};
    }
    sizes_[count_++] = size;
  }
  size_t count() const { return count_; }
  int64_t& operator[](size_t i) { return sizes_[i]; }
  int64_t operator[](size_t i) const { return sizes_[i]; }
  std::span<const int64_t> span() const { return {sizes_.data(), count_}; }
  sdk::Value value() const { return sdk::Value(span()); }

 private:
  std::array<int64_t, TENON_MAX_RANK> sizes_{};
  size_t count_ = 0;
};

inline std::span<const int64_t> shape_of(const tenon_meta& meta) {
  return {meta.shape, static_cast<size_t>(meta.rank)};
}

// As sdk::normal_axis, with words of its own for an operand without dimensions.
inline int32_t axis_of(int64_t axis, size_t rank, const char* attribute,
                       const char* operand = "x") {
  if (rank == 0) {
    throw sdk::Failure{TENON_E_SHAPE, "the operand has no dimensions, so there is no axis to name",
                       operand,       "at least one dimension",
                       "[]",          "reshape it to [1] first"};
  }
  return sdk::normal_axis(axis, static_cast<int32_t>(rank), attribute);
}

// Numbers pass for tensors of any schema dimensions until here; `expected` is for the message.
inline void need_rank(const sdk::Args& args, uint32_t slot, const char* operand, size_t rank,
                      const char* expected) {
  const std::span<const int64_t> shape = args.shape(slot);
  if (shape.size() == rank) return;
  throw sdk::Failure{TENON_E_SHAPE,
                     std::string(operand) + " must have " + std::to_string(rank) + " dimension" +
                         (rank == 1 ? "" : "s"),
                     operand, expected, sdk::shape_text(shape)};
}

// A shape given as an attribute, where every size is meant as it stands.
inline Dims checked_shape(std::span<const int64_t> sizes, const char* attribute) {
  if (sizes.size() > TENON_MAX_RANK) {
    throw sdk::Failure{TENON_E_SHAPE, std::string(attribute) + " has more than 8 dimensions",
                       attribute, "at most 8 dimensions", std::to_string(sizes.size())};
  }
  int64_t count = 1;
  bool empty = false;
  for (const int64_t size : sizes) {
    if (size < 0) {
      throw sdk::Failure{TENON_E_SHAPE, std::string(attribute) + " has a negative size", attribute,
                         "sizes of 0 or more", sdk::shape_text(sizes)};
    }
    empty = empty || size == 0;
  }
  for (const int64_t size : sizes) {
    // 2^60 leaves room for the bytes of the widest dtype.
    if (!empty && size > (int64_t{1} << 60) / count) {
      throw sdk::Failure{TENON_E_SHAPE, std::string(attribute) + " has too many elements",
                         attribute, "at most 2^60 elements", sdk::shape_text(sizes)};
    }
    count = empty ? 0 : count * size;
  }
  return Dims(sizes);
}

// Can `from` be broadcast to `to` (sizes aligned at the end, 1 stretches)?
inline bool broadcasts_to(std::span<const int64_t> from, std::span<const int64_t> to) {
  if (from.size() > to.size()) return false;
  const size_t lead = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] != to[lead + i] && from[i] != 1) return false;
  }
  return true;
}

// The shape in which two operands meet, each size of 1 stretched to the other's.
inline Dims common_shape(std::span<const int64_t> a, std::span<const int64_t> b, const char* a_name,
                         const char* b_name) {
  const std::span<const int64_t> longer = a.size() < b.size() ? b : a;
  const std::span<const int64_t> shorter = a.size() < b.size() ? a : b;
  const size_t lead = longer.size() - shorter.size();
  Dims common(longer);
  for (size_t i = 0; i < shorter.size(); ++i) {
    if (longer[lead + i] == 1) common[lead + i] = shorter[i];
  }
  if (broadcasts_to(a, common.span()) && broadcasts_to(b, common.span())) {
    return common;
  }
  throw sdk::Failure{
      TENON_E_SHAPE, std::string(a_name) + " and " + b_name + " do not broadcast together", b_name,
      "sizes that are equal to those of " + sdk::shape_text(a) + " or 1", sdk::shape_text(b)};
}

// Which dimensions of a rank an `axes` attribute names: none is all, an empty list is none.
inline std::array<bool, TENON_MAX_RANK> reduced_axes(const tenon_value& axes, size_t rank) {
  std::array<bool, TENON_MAX_RANK> reduced{};
  if (axes.tag == TENON_VALUE_NONE) {
    reduced.fill(true);
    return reduced;
  }
  for (const int64_t axis : std::span(axes.as.ints, axes.count)) {
    const auto index = static_cast<size_t>(axis_of(axis, rank, "axes"));
    if (reduced[index]) {
      throw sdk::Failure{TENON_E_ATTRIBUTE, "axes names axis " + std::to_string(index) + " twice",
                         "axes", "each axis once",
                         sdk::shape_text(std::span(axes.as.ints, axes.count))};
    }
    reduced[index] = true;
  }
  return reduced;
}

// The shape after a reduction that keeps the reduced dimensions as 1.
inline Dims kept_shape(std::span<const int64_t> shape, const tenon_value& axes) {
  const auto reduced = reduced_axes(axes, shape.size());
  Dims kept;
  for (size_t i = 0; i < shape.size(); ++i) kept.push(reduced[i] ? 1 : shape[i]);
  return kept;
}

// How many elements of `shape` meet in one element of the reduction's result.
inline int64_t reduced_count(std::span<const int64_t> shape, const tenon_value& axes) {
  const auto reduced = reduced_axes(axes, shape.size());
  int64_t count = 1;
  for (size_t i = 0; i < shape.size(); ++i) count *= reduced[i] ? shape[i] : 1;
  return count;
}

inline tenon_tensor* reshape(sdk::Calls& calls, sdk::Value x, const Dims& shape) {
  return calls.call("tenon.reshape", {x}, {shape.value()});
}

inline tenon_tensor* expand(sdk::Calls& calls, sdk::Value x, const Dims& shape) {
  return calls.call("tenon.expand", {x}, {shape.value()});
}

// The sum over one axis, which stays as a dimension of 1.
inline tenon_tensor* sum_over(sdk::Calls& calls, sdk::Value x, int64_t axis) {
  return calls.call("tenon.sum", {x}, {Dims(std::span(&axis, 1)).value(), true});
}

// A tensor in a dtype: itself where it has it.
inline sdk::Value as(sdk::Calls& calls, sdk::Value x, tenon_dtype dtype) {
  if (calls.meta(x.tensor()).dtype == dtype) return x;
  return calls.call("tenon.cast", {x}, {sdk::Value::dtype(dtype)});
}

// A composition of 16-bit floats computes in f32 and rounds once, at the end.
inline bool is_16_bit_float(tenon_dtype dtype) {
  return dtype == TENON_DTYPE_F16 || dtype == TENON_DTYPE_BF16;
}
inline sdk::Value widened(sdk::Compose& c, sdk::Value x) {
  return is_16_bit_float(c.meta(x.tensor()).dtype) ? as(c, x, TENON_DTYPE_F32) : x;
}
inline tenon_tensor* rounded_to(sdk::Compose& c, tenon_tensor* y, tenon_dtype dtype) {
  return as(c, y, dtype).tensor();
}

// x / count. Every count fits f16 only up to 65504, so f16 is divided in f32 and rounded back.
inline tenon_tensor* divide_by_count(sdk::Calls& calls, tenon_tensor* x, int64_t count) {
  const auto divisor = static_cast<double>(count);
  if (calls.meta(x).dtype != TENON_DTYPE_F16) return calls.call("tenon.div", {x, divisor});
  tenon_tensor* wide = calls.call("tenon.cast", {x}, {sdk::Value::dtype(TENON_DTYPE_F32)});
  wide = calls.call("tenon.div", {wide, divisor});
  return calls.call("tenon.cast", {wide}, {sdk::Value::dtype(TENON_DTYPE_F16)});
}

}  // namespace tenon::rules
