// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/math_gamma-inl.h: lgamma, digamma and trigamma of f32 and f64 vectors.
//
// f32 is computed in f64 and rounded once. f64 is within 6 ULP, lgamma within 4, on samples. Below
// 0 lgamma and digamma are sums of two parts, and it is ULP of the larger one. The bits are the
// same on all targets, as in math-inl.h.
//
// y = |x| is brought to [1, 3) by the recurrence, and a polynomial takes it from there; from 8 on
// it is Stirling's series. Negative numbers are reflected.
// Source: NIST Digital Library of Mathematical Functions, 5.5 (recurrence, reflection), 5.11
// (series), 5.15 (trigamma).

#if defined(TENON_CPU_MATH_GAMMA_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_MATH_GAMMA_INL_H
#undef TENON_CPU_MATH_GAMMA_INL_H
#else
#define TENON_CPU_MATH_GAMMA_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/math_both-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace math {
namespace full {

inline constexpr double kPi = 0x1.921fb54442d18p+1;
inline constexpr double kInversePi = 0x1.45f306dc9c883p-2;
inline constexpr double kSeriesFrom = 8;

// A number of 0 to 8 by one of 1 to 3: 1 + y if y is below 1, y less a whole number from there.
template <class V>
struct NearTwo {
  V above_one, above_two;  // that number less 1 and less 2, exact if y is from 1 on
  V factors;   // the product of y - 1, y - 2, ... down to that number, if any was taken off
  V inverses;  // the sum of their inverses, times `factors`
};
template <class V>
HWY_INLINE NearTwo<V> near_two(V y) {
  const V one = set<V>(1);
  const V two = set<V>(2);
  NearTwo<V> at = {y, y, one, hn::Zero(hn::DFromV<V>())};
  V t = y;
  for (int k = 0; k < 5; ++k) {
    const auto far = hn::Ge(t, set<V>(3));
    t = hn::IfThenElse(far, hn::Sub(t, one), t);
    at.inverses = hn::IfThenElse(far, hn::MulAdd(at.inverses, t, at.factors), at.inverses);
    at.factors = hn::IfThenElse(far, hn::Mul(at.factors, t), at.factors);
  }
  const auto small = hn::Lt(y, one);
  at.above_one = hn::IfThenElse(small, y, hn::Sub(t, one));
  at.above_two = hn::Sub(t, hn::IfThenElse(small, one, two));
  return at;
}

// x less the nearest whole number, times pi.
template <class V>
HWY_INLINE Turned<V> turned_by_pi(V x) {
  return turned(hn::Mul(hn::Sub(x, hn::Round(x)), set<V>(kPi)));
}

template <class V>
HWY_INLINE Mask<V> is_whole(V x) {
  return hn::Eq(hn::Round(x), x);
}

// ---- lgamma -------------------------------------------------------------------------------------

struct LogGamma {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const hn::DFromV<V> d;
    const V zero = hn::Zero(d);
    const V infinity = set<V>(std::numeric_limits<double>::infinity());
    const V y = hn::Abs(x);
    const auto negative = hn::Lt(x, zero);
    // log Gamma(-y) = -log(factor Gamma(1 + y)), factor = |sin(pi y)| / pi.
    V factor = set<V>(1);
    if (HWY_UNLIKELY(!hn::AllFalse(d, negative))) {
      const V sine_of_y = hn::Abs(sine<0>(turned_by_pi(y)));
      factor = hn::IfThenElse(negative, hn::Mul(sine_of_y, set<V>(kInversePi)), factor);
    }
    const V size = of_size(y, negative, factor);
    V result = hn::IfThenElse(negative, hn::Neg(size), size);
    const auto pole = hn::And(hn::Le(x, zero), is_whole(x));
    result = hn::IfThenElse(hn::Or(pole, hn::Eq(y, infinity)), infinity, result);
    return hn::IfThenElse(hn::IsNaN(x), x, result);
  }

 private:
  // log Gamma(y), of what is reflected log(factor Gamma(1 + y)).
  template <class V>
  static HWY_INLINE V of_size(V y, Mask<V> reflected, V factor) {
    const V one = set<V>(1);
    const auto at = near_two(y);
    const auto small = hn::Lt(y, one);
    const V of_next = hn::Mul(factor, hn::IfThenElse(small, one, hn::Mul(at.factors, y)));
    V product = hn::IfThenElse(reflected, of_next, at.factors);
    // Gamma(y) = Gamma(1 + y) / y.
    const auto divided = hn::AndNot(reflected, small);
    product = hn::IfThenElse(divided, y, product);
    const V sign = hn::IfThenElse(divided, hn::Neg(one), one);
    const auto far = hn::Ge(y, set<V>(kSeriesFrom));
    const V kept = at_most(at_least(y, kSeriesFrom), std::numeric_limits<double>::max());
    const Exact<V> logarithm = long_log(hn::IfThenElse(far, kept, product));
    const V curve = polynomial(at.above_two, kLogGammaF64);
    const V part = hn::Mul(hn::Mul(at.above_one, at.above_two), curve);
    const Exact<V> sum = any_sum(hn::Mul(sign, logarithm.rounded), part);
    const V near = hn::Add(sum.rounded, hn::MulAdd(sign, logarithm.lost, sum.lost));
    const V whole = series(kept, logarithm, reflected);
    return hn::IfThenElse(far, hn::Add(whole, Log()(factor)), near);
  }

  // y (log(y) - 1) - log(y) / 2 + log(2 pi) / 2 + 1 / (12 y) - ...; of 1 + y it is + log(y) / 2.
  template <class V>
  static HWY_INLINE V series(V y, Exact<V> logarithm, Mask<V> of_next) {
    const V inverse = hn::Div(set<V>(1), y);
    const V rest = hn::Mul(inverse, polynomial(hn::Mul(inverse, inverse), kLogGammaFarF64));
    const Exact<V> less = exact_sum(logarithm.rounded, set<V>(-1));
    const Exact<V> slope = {less.rounded, hn::Add(less.lost, logarithm.lost)};
    const Exact<V> large = product(Exact<V>{y, hn::Zero(hn::DFromV<V>())}, slope);
    const V half = hn::Mul(logarithm.rounded, hn::IfThenElse(of_next, set<V>(0.5), set<V>(-0.5)));
    const V small = hn::Add(hn::Add(half, set<V>(0x1.d67f1c864beb5p-1)), rest);
    // An overflow's lost part is NaN.
    const V lost = hn::IfThenElseZero(hn::Lt(y, set<V>(0x1p900)), hn::Add(large.lost, small));
    return hn::Add(large.rounded, lost);
  }
};

// ---- digamma ------------------------------------------------------------------------------------

// Near its root digamma is its distance from there, the root being the sum of two, times a
// polynomial.
struct Digamma {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    using Limits = std::numeric_limits<double>;
    const hn::DFromV<V> d;
    const V zero = hn::Zero(d);
    const V one = set<V>(1);
    const V y = hn::Abs(x);
    const auto negative = hn::Lt(x, zero);
    const auto small = hn::Lt(y, one);
    const V inverse = hn::Div(one, y);
    V result = hn::IfThenElse(hn::Ge(y, set<V>(kSeriesFrom)), series(y, inverse), near(y));
    // What near(y) gives below 1 is of 1 + y; digamma(y) = digamma(1 + y) - 1 / y.
    result = hn::IfThenElse(hn::AndNot(negative, small), hn::Sub(result, inverse), result);
    // digamma(-y) = digamma(1 + y) + pi cot(pi y).
    if (HWY_UNLIKELY(!hn::AllFalse(d, negative))) {
      const auto turn = turned_by_pi(y);
      const V cotangent = hn::Div(sine<1>(turn), sine<0>(turn));
      const V of_next = hn::IfThenElse(small, result, hn::Add(result, inverse));
      const V reflected = hn::MulAdd(cotangent, set<V>(kPi), of_next);
      const auto pole = hn::Or(is_whole(y), hn::Eq(y, set<V>(Limits::infinity())));
      const V there = hn::IfThenElse(pole, set<V>(Limits::quiet_NaN()), reflected);
      result = hn::IfThenElse(negative, there, result);
    }
    const V at_zero = hn::Neg(hn::CopySign(set<V>(Limits::infinity()), x));
    result = hn::IfThenElse(hn::Eq(y, zero), at_zero, result);
    return hn::IfThenElse(hn::IsNaN(x), x, result);
  }

 private:
  template <class V>
  static HWY_INLINE V near(V y) {
    const auto at = near_two(y);
    V distance = hn::Add(at.above_two, set<V>(0x1.13a4f39528381p-1));
    distance = hn::Add(distance, set<V>(0x1.1e563779a1f5bp-56));
    const V shift = hn::Div(at.inverses, at.factors);
    return hn::MulAdd(distance, polynomial(at.above_two, kDigammaF64), shift);
  }
  // log(y) - 1 / (2 y) - 1 / (12 y^2) + ...
  template <class V>
  static HWY_INLINE V series(V y, V inverse) {
    const V z = hn::Mul(inverse, inverse);
    const V rest = hn::MulAdd(z, polynomial(z, kDigammaFarF64), hn::Mul(inverse, set<V>(0.5)));
    return hn::Sub(Log()(y), rest);
  }
};

// ---- trigamma -----------------------------------------------------------------------------------

struct Trigamma {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    using Limits = std::numeric_limits<double>;
    const hn::DFromV<V> d;
    const V zero = hn::Zero(d);
    const V infinity = set<V>(Limits::infinity());
    const auto negative = hn::Lt(x, zero);
    V result = above_zero(hn::IfThenElse(negative, hn::Sub(set<V>(1), x), x));
    // trigamma(-y) = (pi / sin(pi y))^2 - trigamma(1 + y).
    if (HWY_UNLIKELY(!hn::AllFalse(d, negative))) {
      const V root = hn::Div(set<V>(kPi), sine<0>(turned_by_pi(x)));
      const V reflected = hn::IfThenElse(is_whole(x), infinity, hn::MulSub(root, root, result));
      const V nan = set<V>(Limits::quiet_NaN());
      const auto least = hn::Eq(x, hn::Neg(infinity));
      result = hn::IfThenElse(negative, hn::IfThenElse(least, nan, reflected), result);
    }
    return hn::IfThenElse(hn::IsNaN(x), x, result);
  }

 private:
  // Of a larger number, and 1 / x^2 for each step to it.
  template <class V>
  static HWY_INLINE V above_zero(V x) {
    const V one = set<V>(1);
    V sum = hn::Zero(hn::DFromV<V>());
    for (int k = 0; k < 8; ++k) {
      const auto near = hn::Lt(x, set<V>(kSeriesFrom));
      const V inverse = hn::IfThenElseZero(near, hn::Div(one, x));
      sum = hn::MulAdd(inverse, inverse, sum);
      x = hn::IfThenElse(near, hn::Add(x, one), x);
    }
    // 1 / x + 1 / (2 x^2) + 1 / (6 x^3) - ...
    const V inverse = hn::Div(one, x);
    const V z = hn::Mul(inverse, inverse);
    const V cube = hn::Mul(z, inverse);
    const V rest = hn::MulAdd(cube, polynomial(z, kTrigammaFarF64), hn::Mul(z, set<V>(0.5)));
    return hn::Add(sum, hn::Add(inverse, rest));
  }
};

}  // namespace full

using LogGamma = Both<full::LogGamma, full::LogGamma>;
using Digamma = Both<full::Digamma, full::Digamma>;
using Trigamma = Both<full::Trigamma, full::Trigamma>;

}  // namespace math
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_MATH_GAMMA_INL_H
