// SPDX-License-Identifier: Apache-2.0
// tests/cpu/exact.cc: see exact.h.
//
// A relative error of the result is that of the exponential's argument, times the argument: up to
// 745 here. So arguments have the digits of Quad, and the exponential of what a T cannot hold of
// them is multiplied in.
#include "tests/cpu/exact.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <numbers>

namespace tenon::tests::exact {
namespace {

#if LDBL_MANT_DIG == 64
__extension__ using Quad = __float128;
#else
using Quad = long double;
#endif

// Each number as the sum of two long doubles.
const Quad kRootHalf = Quad(0xb504f333f9de648p-60L) + Quad(0x1165f626cdd52bp-114L);
const Quad kDensityAt0 = Quad(0xcc42299ea1b2847p-61L) - Quad(0x1e069875fe8a8ep-115L);
const Quad kTwiceScale = kDensityAt0 * 4;  // 2 sqrt(2 / pi)
const Quad kCubic = Quad(0xb727136a400fba9p-64L) - Quad(0x1f6555c52e72dap-118L);

// What is beyond has no f64.
constexpr long double kEnd = 60;
constexpr long double kEndByTanh = 30;

// To more digits than f32 needs, and no more.
constexpr long double kTwiceScaleF32 = 1.59576912160573071175978423973752L;
long double twice_u(long double x) { return x * (1 + 0.044715L * x * x) * kTwiceScaleF32; }

template <class T>
T logistic(T x) {
  return 1 / (1 + std::exp(-x));
}

template <class T>
T log_logistic(T x) {
  if (std::isnan(x)) return x;
  return -(std::max(-x, T(0)) + std::log1p(std::exp(-std::fabs(x))));
}
template <class T>
T straight_swish(T x) {
  if (x <= -3) return T(-0.0);
  return x >= 3 ? x : x * (x + 3) / 6;
}

long double exp_of(Quad x) {
  const auto high = static_cast<long double>(x);
  return std::exp(high) * (1 + static_cast<long double>(x - high));
}

// Both terms of the slope of x P(x).
struct Terms {
  long double share, bend;
  long double larger() const { return std::max(std::fabs(share), std::fabs(bend)); }
};

// erfc to first order around the argument's long double.
long double share(long double given) {
  const long double x = std::clamp(given, -kEnd, kEnd);
  const Quad a = -Quad(x) * kRootHalf;
  const auto high = static_cast<long double>(a);
  const auto low = static_cast<long double>(a - high);
  constexpr long double slope_at_0 = 2 * std::numbers::inv_sqrtpi_v<long double>;
  return (std::erfc(high) - low * slope_at_0 * std::exp(-high * high)) / 2;
}

Terms terms(long double given) {
  const long double x = std::clamp(given, -kEnd, kEnd);
  const long double density =
      exp_of(-Quad(x) * Quad(x) / 2) * static_cast<long double>(kDensityAt0);
  return {share(x), x * density};
}

Terms terms_by_tanh(long double given) {
  const Quad x = std::clamp(given, -kEndByTanh, kEndByTanh);
  const Quad u = kTwiceScale * x * (1 + kCubic * x * x);
  const long double below = 1 / (1 + exp_of(-u));
  const long double above = 1 / (1 + exp_of(u));
  const auto steep = static_cast<long double>(kTwiceScale * x * (1 + 3 * kCubic * x * x));
  return {below, below * above * steep};
}

constexpr long double kPi = std::numbers::pi_v<long double>;

bool is_pole(long double x) { return x <= 0 && x == std::floor(x); }

// pi times the distance from the nearest whole number.
long double angle(long double x) { return kPi * (x - std::nearbyint(x)); }

// By the recurrence, and from 40 on the asymptotic series.
long double digamma_above_zero(long double x) {
  long double sum = 0;
  for (; x < 40; ++x) sum -= 1 / x;
  const long double z = 1 / (x * x);
  const long double rest = z * (1.0L / 252 - z * (1.0L / 240 - z * (1.0L / 132)));
  return sum + (std::log(x) - 1 / (2 * x) - z * (1.0L / 12 - z * (1.0L / 120 - rest)));
}
long double trigamma_above_zero(long double x) {
  long double sum = 0;
  for (; x < 40; ++x) sum += 1 / (x * x);
  const long double z = 1 / (x * x);
  const long double rest = z * (1.0L / 42 - z * (1.0L / 30 - z * (5.0L / 66)));
  return sum + (1 / x + z / 2 + z / x * (1.0L / 6 - z * (1.0L / 30 - rest)));
}

}  // namespace

double lgamma(double x) { return static_cast<double>(lgamma(static_cast<long double>(x))); }
long double lgamma(long double x) { return std::lgamma(x); }
long double lgamma_part(long double x) {
  const long double y = std::lgamma(x);
  return x < 0 ? std::max({1.0L, std::fabs(y), std::fabs(std::lgamma(-x))}) : y;
}

double digamma(double x) { return static_cast<double>(digamma(static_cast<long double>(x))); }
long double digamma(long double x) {
  if (x == 0) return -std::copysign(std::numeric_limits<long double>::infinity(), x);
  if (std::isnan(x) || x > 0) return std::isinf(x) ? x : digamma_above_zero(x);
  if (std::isinf(x) || is_pole(x)) return std::numeric_limits<long double>::quiet_NaN();
  return digamma_above_zero(1 - x) - kPi / std::tan(angle(x));
}
long double digamma_part(long double x) {
  const long double y = digamma(x);
  return x < 0 ? std::max({1.0L, std::fabs(y), std::fabs(digamma_above_zero(1 - x))}) : y;
}

double trigamma(double x) { return static_cast<double>(trigamma(static_cast<long double>(x))); }
long double trigamma(long double x) {
  if (std::isinf(x)) return x > 0 ? 0 : std::numeric_limits<long double>::quiet_NaN();
  if (std::isnan(x) || x > 0) return trigamma_above_zero(x);
  if (is_pole(x)) return std::numeric_limits<long double>::infinity();
  const long double root = kPi / std::sin(angle(x));
  return root * root - trigamma_above_zero(1 - x);
}

double erfinv(double x) { return static_cast<double>(erfinv(static_cast<long double>(x))); }
// By Newton's steps from 0, none of which goes too far: erf bends down.
long double erfinv(long double x) {
  const long double size = std::fabs(x);
  if (!(size < 1)) {
    return size == 1 ? std::copysign(std::numeric_limits<long double>::infinity(), x)
                     : std::numeric_limits<long double>::quiet_NaN();
  }
  long double y = 0;
  for (int k = 0; k < 200; ++k) {
    const long double off = size < 0.5L ? size - std::erf(y) : std::erfc(y) - (1 - size);
    const long double step = off * std::exp(y * y) / (2 * std::numbers::inv_sqrtpi_v<long double>);
    y += step;
    if (std::fabs(step) <= y * 0x1p-62L) break;
  }
  return std::copysign(y, x);
}

double sigmoid(double x) { return logistic(x); }
long double sigmoid(long double x) { return logistic(x); }

double silu(double x) { return x * logistic(x); }
long double silu(long double x) { return x * logistic(x); }
double mish(double x) { return x * std::tanh(std::log1p(std::exp(x))); }
long double mish(long double x) { return x * std::tanh(std::log1p(std::exp(x))); }
double logsigmoid(double x) { return log_logistic(x); }
long double logsigmoid(long double x) { return log_logistic(x); }
double hardswish(double x) { return straight_swish(x); }
long double hardswish(long double x) { return straight_swish(x); }

double gelu(double x) {
  if (x < -40) return -0.0;
  return x * std::erfc(-x / std::numbers::sqrt2) / 2;
}
long double gelu(long double x) { return x < -kEnd ? -0.0L : x * share(x); }

// The exponent is up to 100: in f64 its last digit would show in an f32's.
double gelu_by_tanh(double x) {
  return x < -40 ? -0.0 : static_cast<double>(x / (1 + std::exp(-twice_u(x))));
}
long double gelu_by_tanh(long double x) {
  return x < -kEndByTanh ? -0.0L : x * terms_by_tanh(x).share;
}

double gelu_slope(double given) {
  const double x = std::clamp(given, -40.0, 40.0);
  return std::erfc(-x / std::numbers::sqrt2) / 2 +
         x * std::exp(-x * x / 2) * static_cast<double>(kDensityAt0);
}
long double gelu_slope(long double x) {
  const Terms t = terms(x);
  return t.share + t.bend;
}
long double gelu_slope_term(long double x) { return terms(x).larger(); }

double gelu_slope_by_tanh(double given) {
  const long double x = std::clamp(given, -40.0, 40.0);
  const long double e = std::exp(-twice_u(x));
  const long double steep = x * kTwiceScaleF32 * (1 + 3 * 0.044715L * x * x);
  return static_cast<double>((1 + steep * (e / (1 + e))) / (1 + e));
}
long double gelu_slope_by_tanh(long double x) {
  const Terms t = terms_by_tanh(x);
  return t.share + t.bend;
}
long double gelu_slope_by_tanh_term(long double x) { return terms_by_tanh(x).larger(); }

}  // namespace tenon::tests::exact
