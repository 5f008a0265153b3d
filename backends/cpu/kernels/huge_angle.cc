// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/huge_angle.cc: see huge_angle.h.
//
// x = M 2^e with an integer M below 2^24. Of 2 / pi those digits are taken that e moves to between
// 2 and 2^-126; what stands above them is a multiple of 4, so it wraps away when M multiplies them
// in 128 bits, and what stands below makes less than 2^-102.
// Source: M. Payne, R. Hanek, "Radian reduction for trigonometric functions", 1983.

#include "kernels/huge_angle.h"

#include <cmath>

namespace tenon::cpu {
namespace {

__extension__ using Unsigned128 = unsigned __int128;

// 2 / pi, its 256 digits after the point.
constexpr uint64_t kTwoOverPi[] = {0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
                                   0xfe5163abdebbc561};

// 64 digits from digit number `first`, which counts from 0 after the point.
uint64_t digits(int first) {
  const auto word = static_cast<uint32_t>(first) / 64;
  const int shift = first % 64;
  if (shift == 0) return kTwoOverPi[word];
  return kTwoOverPi[word] << shift | kTwoOverPi[word + 1] >> (64 - shift);
}

}  // namespace

int64_t reduce_huge_angle(double x, double* out_rest) {
  *out_rest = x - x;
  if (!std::isfinite(x)) return 0;
  int exponent = 0;
  const auto whole = static_cast<uint64_t>(std::ldexp(std::frexp(std::fabs(x), &exponent), 24));
  const int first = exponent - 24 - 2;
  const Unsigned128 window = Unsigned128{digits(first)} << 64 | digits(first + 64);
  const Unsigned128 turns = window * whole;  // quarters in units of 2^-126
  // To the nearest: half a quarter is added, and taken from the rest.
  const Unsigned128 half = Unsigned128{1} << 125;
  const auto quarters = static_cast<int64_t>(static_cast<uint64_t>((turns + half) >> 126));
  const Unsigned128 rest = (turns + half) << 2;  // in units of 2^-128, half a quarter too large
  const bool negative = (rest >> 127) == 0;
  const Unsigned128 off =
      negative ? (Unsigned128{1} << 127) - rest : rest - (Unsigned128{1} << 127);
  const double high = std::ldexp(static_cast<double>(static_cast<uint64_t>(off >> 64)), -64);
  const double low = std::ldexp(static_cast<double>(static_cast<uint64_t>(off)), -128);
  const double size = (high + low) * 0x1.921fb54442d18p+0;
  const bool flipped = negative != (x < 0);
  *out_rest = flipped ? -size : size;
  return x < 0 ? -quarters : quarters;
}

}  // namespace tenon::cpu
