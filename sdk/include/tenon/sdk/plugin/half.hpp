// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/half.hpp: the 16-bit floats, as storage with exact widening and correct
// rounding.
//
// F16 is IEEE 754 binary16, BF16 the upper half of binary32. Narrowing rounds once, to nearest with
// ties to even, from double; every float is a double, so there is one rounding whatever the source.
// Overflow gives infinity, subnormals are kept, a NaN becomes the quiet NaN of its sign.
#pragma once

#include <bit>
#include <cstdint>

namespace tenon::sdk {

// Bits of `value` in a format of one sign, `exponent_bits` and `fraction_bits` bits.
constexpr uint16_t round_to_16(double value, int exponent_bits, int fraction_bits) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t sign = (bits >> 63) << 15;
  const int exponent = static_cast<int>((bits >> 52) & 0x7FF);
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  const uint64_t infinity = ((uint64_t{1} << exponent_bits) - 1) << fraction_bits;
  if (exponent == 0x7FF) {
    const uint64_t quiet = fraction ? uint64_t{1} << (fraction_bits - 1) : 0;
    return static_cast<uint16_t>(sign | infinity | quiet);
  }
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int target = exponent - 1023 + bias;  // biased; below 1 the result is subnormal
  const int shift = 52 - fraction_bits + (target < 1 ? 1 - target : 0);
  if (exponent == 0 || shift > 53) return static_cast<uint16_t>(sign);
  const uint64_t significand = fraction | (uint64_t{1} << 52);
  const uint64_t rest = significand & ((uint64_t{1} << shift) - 1);
  const uint64_t half = uint64_t{1} << (shift - 1);
  uint64_t rounded = significand >> shift;
  if (rest > half || (rest == half && (rounded & 1))) ++rounded;
  // A carry out of the fraction moves into the exponent by itself.
  if (target >= 1) rounded += static_cast<uint64_t>(target - 1) << fraction_bits;
  return static_cast<uint16_t>(sign | (rounded < infinity ? rounded : infinity));
}

struct F16 {
  uint16_t bits = 0;

  constexpr F16() = default;
  constexpr explicit F16(double value) : bits(round_to_16(value, 5, 10)) {}
  constexpr operator float() const {
    const uint32_t sign = static_cast<uint32_t>(bits >> 15) << 31;
    const uint32_t exponent = (bits >> 10) & 0x1F;
    const uint32_t fraction = bits & 0x3FF;
    if (exponent == 0) {
      const float size = static_cast<float>(fraction) * 0x1p-24f;
      return sign ? -size : size;
    }
    const uint32_t wide = exponent == 0x1F ? 0xFF : exponent - 15 + 127;
    return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
  }
};

struct BF16 {
  uint16_t bits = 0;

  constexpr BF16() = default;
  constexpr explicit BF16(double value) : bits(round_to_16(value, 8, 7)) {}
  constexpr operator float() const {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
};

static_assert(sizeof(F16) == 2 && sizeof(BF16) == 2);

}  // namespace tenon::sdk
