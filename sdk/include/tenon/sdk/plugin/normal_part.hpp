// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/normal_part.hpp: the part of the standard normal distribution between two
// bounds, and its quantiles, as tenon.truncated_normal states them.
//
// F is the distribution function. A probability near 0 or 1 is counted from that end, and one
// between from 1/2, so that none loses its digits.
// Source of F^-1: M. Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution",
// Applied Statistics 37, 1988: PPND16, about 1 part in 10^16.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>

namespace tenon::sdk {

// A quotient of polynomials; the first coefficients are those of the highest power.
struct QuantileRatio {
  double above[8];
  double below[8];

  double operator()(double x) const { return polynomial(above, x) / polynomial(below, x); }

 private:
  static double polynomial(const double (&coefficients)[8], double x) {
    double sum = coefficients[0];
    for (size_t k = 1; k < 8; ++k) sum = sum * x + coefficients[k];
    return sum;
  }
};

// F^-1(1/2 + p) = p kMiddleRatio(kMiddle^2 - p^2) for |p| <= kMiddle.
inline constexpr double kMiddle = 0.425;
inline constexpr QuantileRatio kMiddleRatio = {
    {2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
     13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608},
    {5226.495278852545925, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
     5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1}};

// -F^-1(p) of a smaller p, with r = sqrt(-ln p): kTailRatio(r - kTailFrom), and where r is above
// kFarFrom kFarRatio(r - kFarFrom).
inline constexpr double kTailFrom = 1.6;
inline constexpr QuantileRatio kTailRatio = {
    {7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177,
     1.27045825245236838258, 3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959,
     1.42343711074968357734},
    {1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966,
     0.14810397642748007459, 0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187,
     1}};
inline constexpr double kFarFrom = 5;
inline constexpr QuantileRatio kFarRatio = {
    {2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386,
     0.026532189526576123093, 0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699,
     6.6579046435011037772},
    {2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5,
     7.868691311456132591e-4, 0.0148753612908506148525, 0.13692988092273580531,
     0.59983220655588793769, 1}};

struct NormalPart {
  double left, right;  // what is cut off: F(a) and 1 - F(b)
  double middle;       // F(a) - 1/2
  double inside;       // F(b) - F(a)

  // a < b, one of them within 37 of 0.
  static NormalPart between(double a, double b) {
    return {below(a), below(-b), from_middle(a), difference(a, b)};
  }
  // F^-1(F(a) + u (F(b) - F(a))) for 0 < u < 1.
  double quantile(double u) const {
    const double p = middle + u * inside;
    if (std::abs(p) <= kMiddle) return p * kMiddleRatio(kMiddle * kMiddle - p * p);
    return p < 0 ? -tail_quantile(left + u * inside) : tail_quantile(right + (1 - u) * inside);
  }

 private:
  static double below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }
  static double from_middle(double z) { return 0.5 * std::erf(z / std::numbers::sqrt2); }
  static double difference(double a, double b) {
    if (a > 1) return below(-a) - below(-b);
    if (b < -1) return below(b) - below(a);
    return from_middle(b) - from_middle(a);
  }
  static double tail_quantile(double p) {
    const double r = std::sqrt(-std::log(p));
    return r <= kFarFrom ? kTailRatio(r - kTailFrom) : kFarRatio(r - kFarFrom);
  }
};

}  // namespace tenon::sdk
