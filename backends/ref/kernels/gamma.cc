// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/gamma.cc: lgamma, digamma and trigamma.
//
// lgamma is libm's in double, rounded once to the dtype. The others are computed in long double:
// the recurrence, then the first terms of the asymptotic series, and reflection below 0.
// Source: NIST Digital Library of Mathematical Functions, 5.5.2, 5.5.4, 5.11.2, 5.15.5, 5.15.6,
// 5.15.8; Bernoulli numbers 24.2.

#include <math.h>  // lgamma_r, which unlike lgamma writes no global

#include <cmath>
#include <numbers>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

using Long = long double;

constexpr Long kPi = std::numbers::pi_v<Long>;
constexpr Long kSeriesFrom = 16;  // the first term that is left out is below 2^-70 from here on
// B(2), B(4), ...
constexpr Long kBernoulli[] = {1.0L / 6,  -1.0L / 30,     1.0L / 42, -1.0L / 30,
                               5.0L / 66, -691.0L / 2730, 7.0L / 6,  -3617.0L / 510};

double lgamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

bool is_whole(double x) { return std::nearbyint(x) == x; }

// pi times what x lies from the nearest whole number.
Long angle(double x) { return kPi * static_cast<Long>(x - std::nearbyint(x)); }

Long digamma_above_zero(Long x) {
  Long sum = 0;
  for (; x < kSeriesFrom; ++x) sum -= 1 / x;
  const Long z = 1 / (x * x);
  Long power = z;
  Long series = std::log(x) - 1 / (2 * x);
  for (int k = 1; const Long b : kBernoulli) {
    series -= b / static_cast<Long>(2 * k++) * power;
    power *= z;
  }
  return sum + series;
}

double digamma(double x) {
  if (x == 0) return -std::copysign(std::numeric_limits<double>::infinity(), x);
  if (x < 0 && (std::isinf(x) || is_whole(x))) return std::numeric_limits<double>::quiet_NaN();
  if (!std::isfinite(x)) return x;
  if (x > 0) return static_cast<double>(digamma_above_zero(x));
  return static_cast<double>(digamma_above_zero(1 - Long{x}) - kPi / std::tan(angle(x)));
}

Long trigamma_above_zero(Long x) {
  Long sum = 0;
  for (; x < kSeriesFrom; ++x) sum += 1 / (x * x);
  const Long z = 1 / (x * x);
  Long power = z / x;
  Long series = 1 / x + z / 2;
  for (const Long b : kBernoulli) {
    series += b * power;
    power *= z;
  }
  return sum + series;
}

double trigamma(double x) {
  if (x == -std::numeric_limits<double>::infinity()) return x - x;
  if (std::isnan(x)) return x;
  if (x > 0) return static_cast<double>(trigamma_above_zero(x));
  if (is_whole(x)) return std::numeric_limits<double>::infinity();
  const Long root = kPi / std::sin(angle(x));
  return static_cast<double>(root * root - trigamma_above_zero(1 - Long{x}));
}

constexpr tenon_kernel_desc kernels[] = {
    kernel_in_double<lgamma>("tenon.lgamma"),
    kernel_in_double<digamma>("tenon.digamma"),
    kernel_in_double<trigamma>("tenon.trigamma"),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(gamma) = {.kernels = tenon::ref::kernels};
