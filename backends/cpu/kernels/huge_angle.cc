// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/huge_angle.cc: see huge_angle.h.
//
// x = M 2^e with an integer M below 2^53. Of 2 / pi those digits are taken that e moves to between
// 2 and 2^-190; what stands above them is a multiple of 4, so it wraps away when M multiplies them
// in 192 bits, and what stands below makes less than 2^-137. No f64 is nearer than 2^-62 to a
// multiple of pi / 2.
// Source: M. Payne, R. Hanek, "Radian reduction for trigonometric functions", 1983; on the nearest,
// J.-M. Muller, "Elementary Functions", 2nd edition 2006, 9.3.2.

#include "kernels/huge_angle.h"

#include <bit>
#include <cmath>

namespace tenon::cpu {
namespace {

__extension__ using Unsigned128 = unsigned __int128;

// 2 / pi: 64 zeros before the point, 1,216 digits after it.
constexpr uint64_t kTwoOverPi[] = {0,
                                   0xa2f9836e4e441529,
                                   0xfc2757d1f534ddc0,
                                   0xdb6295993c439041,
                                   0xfe5163abdebbc561,
                                   0xb7246e3a424dd2e0,
                                   0x06492eea09d1921c,
                                   0xfe1deb1cb129a73e,
                                   0xe88235f52ebb4484,
                                   0xe99c7026b45f7e41,
                                   0x3991d639835339f4,
                                   0x9c845f8bbdf9283b,
                                   0x1ff897ffde05980f,
                                   0xef2f118b5a0a6d1f,
                                   0x6d367ecf27cb09b7,
                                   0x4f463f669e5fea2d,
                                   0x7527bac7ebe5f17b,
                                   0x3d0739f78a5292ea,
                                   0x6bfb5fb11f8d5d08,
                                   0x56033046fc7b6bab};

// 64 digits from digit number `first`, which counts from the first zero.
uint64_t digits(int first) {
  const auto word = static_cast<uint32_t>(first) / 64;
  const int shift = first % 64;
  if (shift == 0) return kTwoOverPi[word];
  return kTwoOverPi[word] << shift | kTwoOverPi[word + 1] >> (64 - shift);
}

// Modulo 2^192, the highest word first.
struct Words {
  uint64_t at[3];
};

Words product(const Words& a, uint64_t b) {
  const Unsigned128 low = Unsigned128{a.at[2]} * b;
  const Unsigned128 middle = Unsigned128{a.at[1]} * b + (low >> 64);
  const Unsigned128 high = Unsigned128{a.at[0]} * b + (middle >> 64);
  return {static_cast<uint64_t>(high), static_cast<uint64_t>(middle), static_cast<uint64_t>(low)};
}

Words shifted_left(const Words& a, int by) {
  if (by == 0) return a;
  return {a.at[0] << by | a.at[1] >> (64 - by), a.at[1] << by | a.at[2] >> (64 - by),
          a.at[2] << by};
}

Words negated(const Words& a) {
  const uint64_t low = 0 - a.at[2];
  const uint64_t middle = ~a.at[1] + (low == 0);
  return {~a.at[0] + (low == 0 && middle == 0), middle, low};
}

// pi / 2 times a fraction below half, which is not 0, as the sum of two f64.
void to_angle(Words fraction, double* out_rest, double* out_lost) {
  const int zeros = std::countl_zero(fraction.at[0]);
  // 64 zeros or more have no f64.
  fraction = shifted_left(fraction, zeros & 63);
  const double unit = std::ldexp(1.0, -64 - zeros);
  const auto high = static_cast<double>(fraction.at[0] & ~uint64_t{0x7ff}) * unit;
  const uint64_t rest = (fraction.at[0] & 0x7ff) << 53 | fraction.at[1] >> 11;
  const double low = static_cast<double>(rest) * unit * 0x1p-53;
  constexpr double quarter = 0x1.921fb54442d18p+0;
  constexpr double quarter_lost = 0x1.1a62633145c07p-54;
  const double angle = high * quarter;
  const double lost = std::fma(high, quarter, -angle) + std::fma(high, quarter_lost, low * quarter);
  *out_rest = angle + lost;
  *out_lost = lost - (*out_rest - angle);
}

}  // namespace

int64_t reduce_huge_angle(double x, double* out_rest, double* out_lost) {
  *out_rest = *out_lost = x - x;
  if (!std::isfinite(x)) return 0;
  int exponent = 0;
  const auto whole = static_cast<uint64_t>(std::ldexp(std::frexp(std::fabs(x), &exponent), 53));
  const int first = 64 + exponent - 53 - 2;
  const Words window = {digits(first), digits(first + 64), digits(first + 128)};
  const Words turns = product(window, whole);       // quarters in units of 2^-190
  const bool above = (turns.at[0] >> 61 & 1) != 0;  // beyond half a quarter: the next one is nearer
  const uint64_t quarters = (turns.at[0] >> 62) + (above ? 1 : 0);
  const Words fraction = shifted_left(turns, 2);
  to_angle(above ? negated(fraction) : fraction, out_rest, out_lost);
  if (above != (x < 0)) {
    *out_rest = -*out_rest;
    *out_lost = -*out_lost;
  }
  const auto count = static_cast<int64_t>(quarters);
  return x < 0 ? -count : count;
}

}  // namespace tenon::cpu
