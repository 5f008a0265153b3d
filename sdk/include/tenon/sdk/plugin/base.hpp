// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/base.hpp: what every C++ plugin file uses: strings, values, failures, operand
// access.
//
// The SDK is header-only and links nothing. Plugin code may throw `Failure` (or any
// std::exception); the shims in op.hpp and kernel.hpp catch everything before it could cross the C
// boundary.
#pragma once

#include <tenon/plugin.h>

#include <cstdio>
#include <exception>
#include <initializer_list>
#include <new>
#include <span>
#include <string>
#include <string_view>

namespace tenon::sdk {

constexpr tenon_string str(std::string_view text) { return {text.data(), text.size()}; }

constexpr uint64_t bit(uint32_t index) { return uint64_t{1} << index; }

// Every dtype of Tenon, for rows and loops.
inline constexpr tenon_dtype kFloats[] = {TENON_DTYPE_F16, TENON_DTYPE_BF16, TENON_DTYPE_F32,
                                          TENON_DTYPE_F64};
inline constexpr tenon_dtype kIntegers[] = {TENON_DTYPE_U8, TENON_DTYPE_I8, TENON_DTYPE_I16,
                                            TENON_DTYPE_I32, TENON_DTYPE_I64};
inline constexpr tenon_dtype kNumbers[] = {TENON_DTYPE_U8,   TENON_DTYPE_I8,  TENON_DTYPE_I16,
                                           TENON_DTYPE_I32,  TENON_DTYPE_I64, TENON_DTYPE_F16,
                                           TENON_DTYPE_BF16, TENON_DTYPE_F32, TENON_DTYPE_F64};
// Of schemas that say "float|i64 promote": sums, for which integers are widened.
inline constexpr tenon_dtype kWideNumbers[] = {TENON_DTYPE_I64, TENON_DTYPE_F16, TENON_DTYPE_BF16,
                                               TENON_DTYPE_F32, TENON_DTYPE_F64};
inline constexpr tenon_dtype kAllDtypes[] = {
    TENON_DTYPE_BOOL, TENON_DTYPE_U8,  TENON_DTYPE_I8,   TENON_DTYPE_I16, TENON_DTYPE_I32,
    TENON_DTYPE_I64,  TENON_DTYPE_F16, TENON_DTYPE_BF16, TENON_DTYPE_F32, TENON_DTYPE_F64};

constexpr uint32_t size_of(tenon_dtype dtype) { return ((dtype >> 8) & 0xFFu) / 8u; }
constexpr bool is_float(tenon_dtype dtype) {
  return (dtype & 0xFFu) == 2u || (dtype & 0xFFu) == 4u;
}

// What plugin code throws. `what` is one complete line; the other fields may be empty.
struct Failure {
  tenon_status status = TENON_E_ARGUMENT;
  std::string what;
  std::string operand{};
  std::string expected{};
  std::string found{};
  std::string hint{};
};

// A call to the host failed; the host already holds the words.
struct HostFailed {
  tenon_status status;
};

inline void check(tenon_status status) {
  if (status != TENON_OK) throw HostFailed{status};
}

namespace detail {

// Texts of C end at a zero byte: it is written as \x00.
inline void show_zero_bytes(std::string& words) {
  if (words.find('\0') == std::string::npos) return;
  std::string shown;
  for (const char each : words) {
    if (each == 0) {
      shown += "\\x00";
    } else {
      shown += each;
    }
  }
  words.swap(shown);
}

[[gnu::cold]] inline tenon_status report(tenon_call* call, Failure& failure) noexcept {
  try {
    for (std::string* words :
         {&failure.what, &failure.operand, &failure.expected, &failure.found, &failure.hint}) {
      show_zero_bytes(*words);
    }
  } catch (const std::bad_alloc&) {  // then they do end there
  }
  return call->base->fail_detail(call, failure.status, failure.what.c_str(),
                                 failure.operand.c_str(), failure.expected.c_str(),
                                 failure.found.c_str(), failure.hint.c_str());
}

}  // namespace detail

// Runs `body` and turns whatever it throws into a status.
template <class Body>
tenon_status guarded(tenon_call* call, Body&& body) noexcept {
  try {
    body();
    return TENON_OK;
  } catch (const HostFailed& failed) {
    return failed.status;
  } catch (Failure& failure) {
    return detail::report(call, failure);
  } catch (const std::bad_alloc&) {
    return call->base->fail(call, TENON_E_MEMORY, "out of memory", TENON_NUL);
  } catch (const std::exception& error) {
    return call->base->fail(call, TENON_E_PLUGIN, error.what(), TENON_NUL);
  } catch (...) {
    return call->base->fail(call, TENON_E_PLUGIN, "unknown exception in a plugin", TENON_NUL);
  }
}

// An input or attribute of a call made from a rule. Pointers are borrowed for that call.
struct Value : tenon_value {
  constexpr Value() : tenon_value{} {}
  constexpr Value(const tenon_value& value) : tenon_value(value) {}
  constexpr Value(tenon_tensor* tensor)
      : tenon_value{tensor ? TENON_VALUE_TENSOR : TENON_VALUE_NONE, 0, {}} {
    as.tensor = tensor;
  }
  constexpr Value(double number) : tenon_value{TENON_VALUE_F64, 0, {}} { as.f64 = number; }
  constexpr Value(int64_t number) : tenon_value{TENON_VALUE_I64, 0, {}} { as.i64 = number; }
  constexpr Value(int number) : Value(static_cast<int64_t>(number)) {}
  constexpr Value(bool flag) : tenon_value{TENON_VALUE_BOOL, 0, {}} { as.i64 = flag ? 1 : 0; }
  constexpr Value(std::span<const int64_t> ints)
      : tenon_value{TENON_VALUE_INT_LIST, static_cast<uint32_t>(ints.size()), {}} {
    as.ints = ints.data();
  }
  constexpr Value(std::span<const double> floats)
      : tenon_value{TENON_VALUE_FLOAT_LIST, static_cast<uint32_t>(floats.size()), {}} {
    as.floats = floats.data();
  }
  constexpr Value(std::span<tenon_tensor* const> list)
      : tenon_value{TENON_VALUE_TENSOR_LIST, static_cast<uint32_t>(list.size()), {}} {
    as.tensors = list.data();
  }
  static constexpr Value dtype(tenon_dtype dtype) {
    Value value;
    value.tag = TENON_VALUE_DTYPE;
    value.as.dtype = dtype;
    return value;
  }
  bool is_none() const { return tag == TENON_VALUE_NONE; }
  bool is_tensor() const { return tag == TENON_VALUE_TENSOR; }
  tenon_tensor* tensor() const { return is_tensor() ? as.tensor : nullptr; }
};

constexpr Value text_value(std::string_view text) {
  Value value;
  value.tag = TENON_VALUE_STRING;
  value.count = static_cast<uint32_t>(text.size());
  value.as.string = text.data();
  return value;
}

inline std::string shape_text(std::span<const int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    text += (i ? "," : "") + std::to_string(shape[i]);
  }
  return text + "]";
}

inline int64_t count_of(std::span<const int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape) count *= size;
  return count;
}

// Attributes by position, with the types the schema promised.
class Attrs {
 public:
  Attrs(const tenon_value* values, uint32_t count) : values_(values), count_(count) {}
  bool given(uint32_t i) const { return i < count_ && values_[i].tag != TENON_VALUE_NONE; }
  int64_t integer(uint32_t i) const { return values_[i].as.i64; }
  bool flag(uint32_t i) const { return values_[i].as.i64 != 0; }
  double real(uint32_t i) const { return number(values_[i]); }
  tenon_dtype dtype(uint32_t i) const { return static_cast<tenon_dtype>(values_[i].as.dtype); }
  std::span<const int64_t> ints(uint32_t i) const {
    return given(i) ? std::span(values_[i].as.ints, values_[i].count) : std::span<const int64_t>();
  }
  std::span<const double> floats(uint32_t i) const {
    return given(i) ? std::span(values_[i].as.floats, values_[i].count) : std::span<const double>();
  }
  std::string_view text(uint32_t i) const { return {values_[i].as.string, values_[i].count}; }
  const tenon_value& operator[](uint32_t i) const { return values_[i]; }
  uint32_t size() const { return count_; }

  static double number(const tenon_value& value) {
    return value.tag == TENON_VALUE_F64 ? value.as.f64 : static_cast<double>(value.as.i64);
  }

 private:
  const tenon_value* values_;
  uint32_t count_;
};

// The operands of infer, view, prepare and launch callbacks.
class Args {
 public:
  explicit Args(const tenon_launch* launch)
      : attrs(launch->attrs, launch->n_attrs), launch_(launch) {}

  uint32_t count(uint32_t slot) const {  // views of the slot: 0 absent, 1, or n for a list
    return launch_->slot_begin[slot + 1] - launch_->slot_begin[slot];
  }
  bool given(uint32_t slot) const { return slot < launch_->n_slots && count(slot) > 0; }
  const tenon_view& view(uint32_t slot, uint32_t item = 0) const {
    return launch_->views[launch_->slot_begin[slot] + item];
  }
  const tenon_view& out(uint32_t output = 0, uint32_t item = 0) const {
    return view(launch_->n_inputs + output, item);
  }
  bool wants_out(uint32_t output) const { return given(launch_->n_inputs + output); }
  std::span<const int64_t> shape(uint32_t slot, uint32_t item = 0) const {
    const tenon_view& v = view(slot, item);
    return {v.shape, static_cast<size_t>(v.rank)};
  }
  const tenon_launch& launch() const { return *launch_; }

  Attrs attrs;

 private:
  const tenon_launch* launch_;
};

// An axis given by the user, from -rank to rank-1, as 0..rank-1.
inline int32_t normal_axis(int64_t axis, int32_t rank, const char* attribute) {
  if (axis < -rank || axis >= rank) {
    throw Failure{TENON_E_ATTRIBUTE, std::string(attribute) + " is out of range", attribute,
                  "an axis from " + std::to_string(-rank) + " to " + std::to_string(rank - 1),
                  std::to_string(axis)};
  }
  return static_cast<int32_t>(axis < 0 ? axis + rank : axis);
}

inline void set_shape(tenon_meta& meta, std::span<const int64_t> shape) {
  if (shape.size() > TENON_MAX_RANK) {
    throw Failure{TENON_E_SHAPE, "too many dimensions", "", "at most 8 dimensions",
                  std::to_string(shape.size())};
  }
  meta.rank = static_cast<int32_t>(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) meta.shape[i] = shape[i];
}

}  // namespace tenon::sdk
