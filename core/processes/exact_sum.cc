// SPDX-License-Identifier: Apache-2.0
// core/processes/exact_sum.cc: squares as integers.
#include "core/processes/exact_sum.h"

#include <bit>
#include <cmath>
#include <limits>

#include "core/processes/leaf_grads.h"

namespace tenon::processes {

namespace {

constexpr uint64_t kLowHalf = 0xffffffffU;
constexpr int64_t kRoom = int64_t{1} << 31;  // halves of 32 bits in 64

// digits += value * 2^place
void add_at(SumOfSquares::Number& digits, uint64_t value, size_t place) {
  for (const uint64_t half : {value & kLowHalf, value >> 32}) {
    uint64_t carry = half << place % 32;
    for (size_t i = place / 32; carry != 0; ++i) {
      carry += static_cast<uint64_t>(digits[i]);
      digits[i] = static_cast<int64_t>(carry & kLowHalf);
      carry >>= 32;
    }
    place += 32;
  }
}

}  // namespace

SumOfSquares::SumOfSquares() : low_(kExponents), high_(kExponents), room_(kRoom) {}

void SumOfSquares::add(const tensor::Tensor& tensor) {
  visit_floats(tensor, [&](const auto* data, auto load, auto) {
    const int64_t n = tensor.elements();
    constexpr uint64_t kLeading = uint64_t{1} << 52;
    for (int64_t i = 0; i < n; ++i) {
      const auto value = static_cast<double>(load(data[i]));
      const auto bits = std::bit_cast<uint64_t>(value * value) & ~(uint64_t{1} << 63);
      const uint64_t exponent = bits >> 52;
      const uint64_t digits = (bits & (kLeading - 1)) | (exponent != 0 ? kLeading : 0);
      low_[exponent] += digits & kLowHalf;
      high_[exponent] += digits >> 32;
      if (exponent == kExponents - 1) ++number_[digits == kLeading ? kDigits : kDigits + 1];
      if (--room_ == 0) settle();
    }
  });
}

// What the counters hold goes to the digits. Subnormals have the place of exponent 1.
void SumOfSquares::settle() {
  for (size_t exponent = 0; exponent + 1 < kExponents; ++exponent) {
    const size_t place = exponent == 0 ? 0 : exponent - 1;
    add_at(number_, low_[exponent], place);
    add_at(number_, high_[exponent], place + 32);
  }
  low_.assign(kExponents, 0);
  high_.assign(kExponents, 0);
  room_ = kRoom;
}

SumOfSquares::Number SumOfSquares::number() const {
  SumOfSquares copy = *this;
  copy.settle();
  return copy.number_;
}

double SumOfSquares::root_of(Number number) {
  if (number[kDigits + 1] != 0) return std::numeric_limits<double>::quiet_NaN();
  if (number[kDigits] != 0) return std::numeric_limits<double>::infinity();
  Number digits{};
  for (size_t i = 0; i < kDigits; ++i) add_at(digits, static_cast<uint64_t>(number[i]), 32 * i);
  size_t top = kDigits - 1;
  while (top > 2 && digits[top] == 0) --top;
  const auto digit = [&](size_t i) { return static_cast<double>(digits[i]); };
  constexpr double kDigit = 4294967296.0;
  const double leading = digit(top) * kDigit * kDigit + (digit(top - 1) * kDigit + digit(top - 2));
  // An even power of two is halved apart from the root, so that nothing overflows.
  const int power = 32 * static_cast<int>(top - 2) - 1074;
  return std::ldexp(std::sqrt(leading), power / 2);
}

}  // namespace tenon::processes
