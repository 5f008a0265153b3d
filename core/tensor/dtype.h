// SPDX-License-Identifier: Apache-2.0
// core/tensor/dtype.h: the ten element types, how they promote, their limits and half-precision
// bits.
//
// A tenon_dtype is DLPack's (code, bits, lanes) packed as code | bits << 8 | lanes << 16. Only the
// ten dtypes of all_dtypes() are known; every other pattern is a value a caller may pass but that
// no function here accepts. Their order there (bool, unsigned, signed, float, each by rising width)
// is the canonical order in which the rest of the core lists dtypes.
#pragma once

#include <tenon/types.h>

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tenon::tensor {

inline constexpr std::array<tenon_dtype, 10> dtypes_in_order = {
    TENON_DTYPE_BOOL, TENON_DTYPE_U8,  TENON_DTYPE_I8,   TENON_DTYPE_I16, TENON_DTYPE_I32,
    TENON_DTYPE_I64,  TENON_DTYPE_F16, TENON_DTYPE_BF16, TENON_DTYPE_F32, TENON_DTYPE_F64};

constexpr const std::array<tenon_dtype, 10>& all_dtypes() { return dtypes_in_order; }

// The dtype a floating-point scalar gives an operand that has no floating dtype of its own.
inline constexpr tenon_dtype default_float = TENON_DTYPE_F32;
// The dtype an integer scalar gives a bool operand.
inline constexpr tenon_dtype default_int = TENON_DTYPE_I64;

bool is_known(tenon_dtype dtype) noexcept;

// Bytes per element; 0 for an unknown dtype.
uint32_t size_of(tenon_dtype dtype) noexcept;

// "f32", "bool", ...; "?" for an unknown dtype. The view is a string literal: it never expires.
std::string_view name_of(tenon_dtype dtype) noexcept;
inline std::string dtype_text(tenon_dtype dtype) { return std::string(name_of(dtype)); }
// Their names, with `between` between them.
std::string dtypes_text(std::span<const tenon_dtype> dtypes, std::string_view between);
std::optional<tenon_dtype> dtype_from_name(std::string_view name) noexcept;

// All four are false for an unknown dtype. bool is neither an integer nor signed.
bool is_float(tenon_dtype dtype) noexcept;
bool is_integer(tenon_dtype dtype) noexcept;
bool is_signed(tenon_dtype dtype) noexcept;
bool is_bool(tenon_dtype dtype) noexcept;

// Sets of dtypes a schema can name. Int holds signed and unsigned integers, Number holds Int and
// Float; bool is in Bool and Any only.
enum class Category : uint8_t { Any, Bool, Uint, Int, Float, Number };

bool in_category(tenon_dtype dtype, Category category) noexcept;
std::string_view name_of(Category category) noexcept;
std::optional<Category> category_from_name(std::string_view name) noexcept;

// The dtype two operands meet in: the array API standard's table if it defines one (same kinds,
// and signed with unsigned), PyTorch's answer if the standard leaves it open: bool with x is x,
// an integer with a float is the float, f16 with bf16 is f32. Commutative, and every pair of known
// dtypes has an answer; empty when either is unknown. docs/schema.md prints the whole table.
std::optional<tenon_dtype> promote(tenon_dtype a, tenon_dtype b) noexcept;

enum class ScalarKind : uint8_t { Bool, Int, Float };

// The dtype of a tensor operand together with a weak scalar. A scalar never widens a dtype within
// its kind and only lifts it to a higher kind: a float scalar turns bool and integers into
// default_float, an integer scalar turns bool into default_int. Anything else, an unknown dtype
// included, is returned unchanged.
tenon_dtype promote_weak(tenon_dtype tensor_dtype, ScalarKind scalar) noexcept;

// What a dtype can hold. Integers and bool: imin and imax are exact, min and max are the same
// numbers as doubles (i64's max rounds up to 2^63), the other doubles are 0. Floats: min is the
// most negative finite value, eps the gap above 1.0, smallest_normal and smallest_subnormal the
// least positive numbers of each sort; imin and imax are 0. An unknown dtype has all fields 0.
struct DtypeLimits {
  double min;
  double max;
  double eps;
  double smallest_normal;
  double smallest_subnormal;
  int64_t imin;
  int64_t imax;
};

DtypeLimits limits_of(tenon_dtype dtype) noexcept;

// IEEE 754 binary16 to binary32: exact for every pattern, NaN payloads kept in the top bits.
constexpr float half_to_float(uint16_t half) noexcept {
  const uint32_t sign = (uint32_t{half} & 0x8000u) << 16;
  const uint32_t exponent = (uint32_t{half} >> 10) & 0x1fu;
  const uint32_t fraction = uint32_t{half} & 0x3ffu;
  if (exponent == 0) {
    // Zero and subnormals count units of 2^-24, which binary32 holds exactly.
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | sign);
  }
  const uint32_t wide_exponent = exponent == 0x1fu ? 0xffu : exponent + (127u - 15u);
  return std::bit_cast<float>(sign | (wide_exponent << 23) | (fraction << 13));
}

// binary32 to binary16, to nearest, ties to even. 65520 and above become infinity. A NaN keeps its
// sign and the top ten payload bits; if those are all zero the quiet bit is set, so that a NaN
// never turns into infinity.
constexpr uint16_t float_to_half(float value) noexcept {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    const uint32_t payload = (magnitude >> 13) & 0x3ffu;
    return static_cast<uint16_t>(sign | 0x7c00u | (payload != 0 ? payload : 0x200u));
  }
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude >= 0x38800000u) {  // 2^-14, the least normal half
    const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
  }
  if (magnitude <= 0x33000000u) return static_cast<uint16_t>(sign);  // 2^-25 ties to zero
  const uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
  const uint32_t shift = 126u - (magnitude >> 23);  // to units of 2^-24; 14 to 24 here
  const uint32_t remainder = significand & ((1u << shift) - 1u);
  const uint32_t tie = 1u << (shift - 1u);
  uint32_t units = significand >> shift;
  if (remainder > tie || (remainder == tie && (units & 1u) != 0)) ++units;
  return static_cast<uint16_t>(sign | units);
}

// bfloat16 is the top half of binary32, so widening is exact and keeps NaN payloads.
constexpr float bfloat_to_float(uint16_t bfloat) noexcept {
  return std::bit_cast<float>(uint32_t{bfloat} << 16);
}

// binary32 to bfloat16, to nearest, ties to even; a NaN keeps its sign and the top seven payload
// bits, with the quiet bit set if those are all zero.
constexpr uint16_t float_to_bfloat(float value) noexcept {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    const uint32_t kept = bits >> 16;
    return static_cast<uint16_t>((kept & 0x7fu) != 0 ? kept : kept | 0x40u);
  }
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// The element `offset` elements after `first`, which may be aligned to less. Exact for floats and
// for integers up to 2^53; bool is 0 or 1.
double real_at(const void* first, int64_t offset, tenon_dtype dtype) noexcept;
// The same of integers and bool, exact; 0 for floats.
int64_t integer_at(const void* first, int64_t offset, tenon_dtype dtype) noexcept;

}  // namespace tenon::tensor
