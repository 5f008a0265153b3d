// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/truncated_normal.cc: truncated_normal from Philox words, by logical index,
// in double, rounded once:
//
//   z = F^-1(F(a) + u (F(b) - F(a))),  a = (low - mean) / std,  b = (high - mean) / std
//   y = mean + std z, and not beyond the numbers of the dtype next to low and high
//
// F is the standard normal distribution function. A probability near 0 or 1 is counted from that
// end, and one between from 1/2, so that none loses its digits.
// Source of F^-1: M. Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution",
// Applied Statistics 37, 1988: PPND16, about 1 part in 10^16.

#include <tenon/sdk/rounding.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/random.h"

namespace tenon::ref {
namespace {

// The first coefficient is that of the highest power.
template <size_t n>
double polynomial(const double (&coefficients)[n], double x) {
  double sum = 0;
  for (const double each : coefficients) sum = sum * x + each;
  return sum;
}

// F^-1(1/2 + p) for |p| <= kMiddle.
constexpr double kMiddle = 0.425;
double middle_quantile(double p) {
  constexpr double above[] = {2509.0809287301226727, 33430.575583588128105, 67265.770927008700853,
                              45921.953931549871457, 13731.693765509461125, 1971.5909503065514427,
                              133.14166789178437745, 3.387132872796366608};
  constexpr double below[] = {
      5226.495278852545925,  28729.085735721942674, 39307.89580009271061,  21213.794301586595867,
      5394.1960214247511077, 687.1870074920579083,  42.313330701600911252, 1};
  const double r = kMiddle * kMiddle - p * p;
  return p * polynomial(above, r) / polynomial(below, r);
}

// -F^-1(p) for 0 < p < 1/2 - kMiddle.
double tail_quantile(double p) {
  const double r = std::sqrt(-std::log(p));
  if (r <= 5) {
    constexpr double above[] = {7.7454501427834140764e-4, 0.0227238449892691845833,
                                0.24178072517745061177,   1.27045825245236838258,
                                3.64784832476320460504,   5.7694972214606914055,
                                4.6303378461565452959,    1.42343711074968357734};
    constexpr double below[] = {1.05075007164441684324e-9, 5.475938084995344946e-4,
                                0.0151986665636164571966,  0.14810397642748007459,
                                0.68976733498510000455,    1.6763848301838038494,
                                2.05319162663775882187,    1};
    return polynomial(above, r - 1.6) / polynomial(below, r - 1.6);
  }
  constexpr double above[] = {2.01033439929228813265e-7, 2.71155556874348757815e-5,
                              0.0012426609473880784386,  0.026532189526576123093,
                              0.29656057182850489123,    1.7848265399172913358,
                              5.4637849111641143699,     6.6579046435011037772};
  constexpr double below[] = {2.04426310338993978564e-15, 1.4215117583164458887e-7,
                              1.8463183175100546818e-5,   7.868691311456132591e-4,
                              0.0148753612908506148525,   0.13692988092273580531,
                              0.59983220655588793769,     1};
  return polynomial(above, r - 5) / polynomial(below, r - 5);
}

double below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }      // F(z)
double from_middle(double z) { return 0.5 * std::erf(z / std::numbers::sqrt2); }  // F(z) - 1/2

// The part of the distribution between a and b.
class Part {
 public:
  Part(double a, double b)
      : left_(below(a)), right_(below(-b)), middle_(from_middle(a)), inside_(inside(a, b)) {}

  // 0 < u < 1
  double quantile(double u) const {
    const double p = middle_ + u * inside_;
    if (std::abs(p) <= kMiddle) return middle_quantile(p);
    return p < 0 ? -tail_quantile(left_ + u * inside_) : tail_quantile(right_ + (1 - u) * inside_);
  }

 private:
  static double inside(double a, double b) {
    if (a > 1) return below(-a) - below(-b);
    if (b < -1) return below(b) - below(a);
    return from_middle(b) - from_middle(a);
  }

  double left_, right_;  // what is cut off: F(a) and 1 - F(b)
  double middle_;        // F(a) - 1/2
  double inside_;        // F(b) - F(a)
};

// In (0, 1): the middle of one of 2^24 or 2^52 equal parts.
template <class T>
double inner_uniform(sdk::RandomWords& words, uint64_t i) {
  if constexpr (std::is_same_v<T, float>) {
    return (static_cast<double>(words.word(i) >> 8) + 0.5) * 0x1p-24;
  } else {
    return (static_cast<double>(words.two_words(2 * i) >> 12) + 0.5) * 0x1p-52;
  }
}

enum Attribute : uint32_t { kShape, kMean, kStd, kLow, kHigh, kDtype, kAttributes };

void truncated_normal(const sdk::Launch& l) {
  const double mean = l.attrs.real(kMean), deviation = l.attrs.real(kStd);
  const double low = l.attrs.real(kLow), high = l.attrs.real(kHigh);
  const Part part((low - mean) / deviation, (high - mean) / deviation);
  sdk::dispatch_dtype<RandomTypes>(l.out().dtype, [&]<class T>() {
    const T least = sdk::round_up<T>(low), most = sdk::round_down<T>(high);
    fill<T>(l, [=](sdk::RandomWords& words, uint64_t i) {
      const double z = part.quantile(inner_uniform<T>(words, i));
      return std::clamp(static_cast<T>(mean + deviation * z), least, most);
    });
  });
}

constexpr tenon_slot_rule slots[] = {sdk::strided_out()};
constexpr tenon_kernel_desc kernels[] = {sdk::kernel({.op = "tenon.truncated_normal",
                                                      .device = kDevice,
                                                      .slots = slots,
                                                      .rows = random_dtypes,
                                                      .n_attrs = kAttributes,
                                                      .flags = kCanonical,
                                                      .priority = kPriority,
                                                      .launch = sdk::launch_fn<truncated_normal>})};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(truncated_normal) = {.kernels = tenon::ref::kernels};
