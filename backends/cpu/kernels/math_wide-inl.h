// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/math_wide-inl.h: sin, cos, pow, gelu, its gradient, atan2 and hypot of
// f32 vectors, computed in f64 and rounded once. The functions of namespace wide take and give f64
// vectors, but are good for f32 alone.
//
// What makes these hard in f32 is an argument that needs more digits than it has: angles after the
// multiples of pi / 2 are taken off, b log2(a), x^2 / 2 under an exponential. In f64 plain steps
// do. The result is within 0.51 ULP. The bits are the same on all targets, as in math-inl.h.

#if defined(TENON_CPU_MATH_WIDE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_MATH_WIDE_INL_H
#undef TENON_CPU_MATH_WIDE_INL_H
#else
#define TENON_CPU_MATH_WIDE_INL_H
#endif

#include <hwy/highway.h>

#include <cmath>

#include "kernels/huge_angle.h"
#include "kernels/math-inl.h"
#include "kernels/math_corners-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace math {
namespace wide {

// ---- sin, cos -----------------------------------------------------------------------------------

// x = n pi / 2 + r, |r| up to pi / 4; of n the low bits.
template <class V>
struct Angle {
  hn::VFromD<Signed<V>> n;
  V r;
};
template <class V>
HWY_INLINE Angle<V> reduce_angle(V x) {
  const hn::DFromV<V> d;
  const Signed<V> di;
  const V magic = hn::MulAdd(x, set<V>(0x1.45f306dc9c883p-1), set<V>(Of<double>::round));
  const V n = hn::Sub(magic, set<V>(Of<double>::round));
  V r = hn::NegMulAdd(n, set<V>(0x1.921fb54442d18p+0), x);
  r = hn::NegMulAdd(n, set<V>(0x1.1a62633145c07p-54), r);
  auto quarters = hn::BitCast(di, magic);
  // From here on two f64 of pi / 2 are not enough; infinities and NaN go this way too.
  const auto far = hn::Not(hn::Lt(hn::Abs(x), set<V>(0x1p40)));
  if (HWY_UNLIKELY(!hn::AllFalse(d, far))) {
    HWY_ALIGN double values[hn::MaxLanes(d)];
    HWY_ALIGN double rests[hn::MaxLanes(d)];
    HWY_ALIGN int64_t counts[hn::MaxLanes(d)];
    hn::Store(x, d, values);
    hn::Store(r, d, rests);
    hn::Store(quarters, di, counts);
    for (size_t i = 0; i < hn::MaxLanes(d); ++i) {
      if (std::fabs(values[i]) < 0x1p40) continue;
      double lost = 0;
      counts[i] = reduce_huge_angle(values[i], &rests[i], &lost);
    }
    r = hn::Load(d, rests);
    quarters = hn::Load(di, counts);
  }
  return {quarters, r};
}

// The sine of `quarters` quarter turns more than x.
template <int64_t kQuarters, class V>
HWY_INLINE V sine(V x) {
  const hn::DFromV<V> d;
  const Signed<V> di;
  const auto at = reduce_angle(x);
  const auto n = hn::Add(at.n, hn::Set(di, kQuarters));
  const V z = hn::Mul(at.r, at.r);
  const V sin_r = hn::Mul(at.r, polynomial(z, kSinWide));
  const V cos_r = polynomial(z, kCosWide);
  const auto one = hn::Set(di, 1);
  const auto odd = hn::RebindMask(d, hn::Eq(hn::And(n, one), one));
  const auto sign = hn::ShiftLeft<62>(hn::And(n, hn::Set(di, 2)));
  return hn::Xor(hn::IfThenElse(odd, cos_r, sin_r), hn::BitCast(d, sign));
}

struct Sin {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    return sine<0>(x);
  }
};
struct Cos {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    return sine<1>(x);
  }
};

// ---- exp and log2 good for f32 results ----------------------------------------------------------

// Relative error 2^-29. x from -700 to 700.
template <class V>
HWY_INLINE V exp_wide(V x) {
  const auto at = reduce_exp(x);
  return hn::Mul(polynomial(at.r, kExpWide), power_of_2<V>(at.integer()));
}

// 2^x with the same error.
template <class V>
HWY_INLINE V exp2_wide(V x) {
  const Signed<V> di;
  const V magic = hn::Add(x, set<V>(Of<double>::round));
  const V r = hn::Sub(x, hn::Sub(magic, set<V>(Of<double>::round)));
  const auto n = hn::Sub(hn::BitCast(di, magic), hn::BitCast(di, set<V>(Of<double>::round)));
  const V p = polynomial(hn::Mul(r, set<V>(0x1.62e42fefa39efp-1)), kExpWide);
  return hn::Mul(p, power_of_2<V>(n));
}

// Exponents of f32 numbers are small integers: their sum with Of<double>::round shows them.
template <class V>
HWY_INLINE V small_integer(hn::VFromD<Signed<V>> n) {
  const Signed<V> di;
  const auto bits = hn::Add(n, hn::BitCast(di, set<V>(Of<double>::round)));
  return hn::Sub(hn::BitCast(hn::DFromV<V>(), bits), set<V>(Of<double>::round));
}

// Relative error 2^-35, for x above 0 that is normal in f64.
template <class V>
HWY_INLINE V log2_wide(V x) {
  const auto n = exponent_of(x);
  const V f = hn::Sub(without_exponent(x, n), set<V>(1));
  return hn::MulAdd(f, polynomial(f, kLog2Wide), small_integer<V>(n));
}

// ---- pow ----------------------------------------------------------------------------------------

struct Pow {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    const V zero = hn::Zero(hn::DFromV<V>());
    const V infinity = set<V>(std::numeric_limits<double>::infinity());
    const V size = hn::Abs(a);
    V logarithm = log2_wide(size);
    logarithm = hn::IfThenElse(hn::Eq(size, zero), hn::Neg(infinity), logarithm);
    // inf and NaN.
    logarithm = hn::IfThenElse(hn::Lt(size, infinity), logarithm, size);
    // Past any f32, and not past any f64.
    V y = exp2_wide(at_most(at_least(hn::Mul(b, logarithm), -400.0), 400.0));
    return with_sign_of_base(y, a, b);
  }
};

// ---- gelu ---------------------------------------------------------------------------------------

// The distribution function P of the normal distribution, or what stands in for it, and x P'(x).
template <class V>
struct Normal {
  V below;
  V slope;
};

// What is left of P beyond |x| is exp(-x^2 / 2) R((|x| - 2) / (|x| + 2)) / (|x| + 2).
template <class V>
HWY_INLINE Normal<V> normal(V x) {
  const hn::DFromV<V> d;
  const V size = hn::Abs(x);
  const V density = exp_wide(hn::Mul(hn::Mul(size, size), set<V>(-0.5)));
  const V inverse = hn::Div(set<V>(1), hn::Add(size, set<V>(2)));
  const V w = hn::Mul(hn::Sub(size, set<V>(2)), inverse);
  const V tail = hn::Mul(hn::Mul(density, polynomial(w, kNormalTailWide)), inverse);
  const V below = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(set<V>(1), tail));
  constexpr double height = 0x1.9884533d43651p-2;  // 1 / sqrt(2 pi)
  return {below, hn::Mul(hn::Mul(x, density), set<V>(height))};
}

// (1 + tanh(u)) / 2 = 1 / (1 + exp(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3).
template <class V>
HWY_INLINE Normal<V> normal_by_tanh(V x) {
  constexpr double twice = 2 * 0x1.9884533d43651p-1;
  const V square = hn::Mul(x, x);
  const V cubic = hn::MulAdd(square, set<V>(0.044715 * twice), set<V>(twice));
  const V e = exp_wide(hn::Neg(hn::Mul(x, cubic)));
  const V below = hn::Div(set<V>(1), hn::Add(set<V>(1), e));
  const V inner = hn::MulAdd(square, set<V>(3 * 0.044715 * twice), set<V>(twice));
  return {below, hn::Mul(hn::Mul(hn::Mul(below, below), e), hn::Mul(x, inner))};
}

// From here on P and the slope of x P(x) are 0 or 1, whatever f32 they multiply; an exponential of
// such a square or cube is still a number.
inline constexpr double kNormalEnd = 20;

template <bool kTanh, class V>
HWY_INLINE Normal<V> normal_of(V x) {
  const V kept = at_most(at_least(x, -kNormalEnd), kNormalEnd);
  if constexpr (kTanh) {
    return normal_by_tanh(kept);
  } else {
    return normal(kept);
  }
}

template <bool kTanh>
struct Gelu {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    return hn::Mul(at_least(x, -kNormalEnd), normal_of<kTanh>(x).below);
  }
};

template <bool kTanh>
struct GeluGrad {
  template <class V>
  HWY_INLINE V operator()(V dy, V x) const {
    const auto at = normal_of<kTanh>(x);
    const auto flat = hn::Le(x, set<V>(-kNormalEnd));
    return hn::Mul(dy, hn::IfThenElse(flat, set<V>(-0.0), hn::Add(at.below, at.slope)));
  }
};

// ---- atan2, hypot -------------------------------------------------------------------------------

// The arc tangent of the smaller over the larger size, reflected into the octant.
struct Atan2 {
  template <class V>
  HWY_INLINE V operator()(V y, V x) const {
    const auto at = octant(y, x);
    const V q = hn::Div(at.small, at.large);
    V angle = hn::Mul(q, polynomial(hn::Mul(q, q), kAtanWide));
    angle = hn::IfThenElse(at.steep, hn::Sub(set<V>(0x1.921fb54442d18p+0), angle), angle);
    angle = hn::IfThenElse(at.behind, hn::Sub(set<V>(0x1.921fb54442d18p+1), angle), angle);
    return at.finish(angle, y, x);
  }
};

// The square of an f32 is exact, and no sum of two overflows.
struct Hypot {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return or_infinite(hn::Sqrt(hn::MulAdd(a, a, hn::Mul(b, b))), a, b);
  }
};

}  // namespace wide
}  // namespace math
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_MATH_WIDE_INL_H
