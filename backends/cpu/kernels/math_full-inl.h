// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/math_full-inl.h: sin, cos, pow, atan2 and hypot of f64 vectors.
//
// At most 2 ULP, on samples (docs/proofs.md says how many and how far); hypot 1. Where an error
// would grow, numbers are carried as sums of two, so most results are within 0.6. Subnormal
// numbers, infinities, zeros of both signs and NaN are as in C. The bits are the same on all
// targets, as in math-inl.h.

#if defined(TENON_CPU_MATH_FULL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_MATH_FULL_INL_H
#undef TENON_CPU_MATH_FULL_INL_H
#else
#define TENON_CPU_MATH_FULL_INL_H
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
namespace full {

// ---- sin, cos -----------------------------------------------------------------------------------

// pi / 2, the sum of three.
inline constexpr double kQuarterTurn[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                          -0x1.f1976b7ed8fbcp-110};
// From here on they are not enough.
inline constexpr double kFar = 0x1p40;

// x = n pi / 2 + r, |r| up to a little over pi / 4; of n the low bits.
template <class V>
struct Angle {
  hn::VFromD<Signed<V>> n;
  Exact<V> r;
};

// The lanes that are far, infinite or NaN, one by one.
template <class V>
HWY_NOINLINE Angle<V> reduce_far(V x, Angle<V> near) {
  const hn::DFromV<V> d;
  const Signed<V> di;
  HWY_ALIGN double values[hn::MaxLanes(d)];
  HWY_ALIGN double rests[hn::MaxLanes(d)];
  HWY_ALIGN double losses[hn::MaxLanes(d)];
  HWY_ALIGN int64_t counts[hn::MaxLanes(d)];
  hn::Store(x, d, values);
  hn::Store(near.r.rounded, d, rests);
  hn::Store(near.r.lost, d, losses);
  hn::Store(near.n, di, counts);
  for (size_t i = 0; i < hn::MaxLanes(d); ++i) {
    if (std::fabs(values[i]) < kFar) continue;
    counts[i] = reduce_huge_angle(values[i], &rests[i], &losses[i]);
  }
  return {hn::Load(di, counts), {hn::Load(d, rests), hn::Load(d, losses)}};
}

template <class V>
HWY_INLINE Angle<V> reduce_angle(V x) {
  const Signed<V> di;
  const V magic = hn::MulAdd(x, set<V>(0x1.45f306dc9c883p-1), set<V>(Of<double>::round));
  const V n = hn::Sub(magic, set<V>(Of<double>::round));
  // Exact: a multiple of 2^-53 below 1, if x is not small itself.
  const V high = hn::NegMulAdd(n, set<V>(kQuarterTurn[0]), x);
  const Exact<V> next = exact_product(n, set<V>(kQuarterTurn[1]));
  const Exact<V> rest = any_sum(high, hn::Neg(next.rounded));
  const V lost = hn::NegMulAdd(n, set<V>(kQuarterTurn[2]), hn::Sub(rest.lost, next.lost));
  const Angle<V> near = {hn::BitCast(di, magic), exact_sum(rest.rounded, lost)};
  const auto is_near = hn::Lt(hn::Abs(x), set<V>(kFar));
  if (HWY_LIKELY(hn::AllTrue(hn::DFromV<V>(), is_near))) return near;
  return reduce_far(x, near);
}

// Sine and cosine of what is left of an angle when n quarter turns are taken off.
template <class V>
struct Turned {
  hn::VFromD<Signed<V>> n;
  Exact<V> sin_r, cos_r;
};
template <class V>
HWY_INLINE Turned<V> turned(V x) {
  const auto at = reduce_angle(x);
  const V r = at.r.rounded;
  const V z = hn::Mul(r, r);
  const V half = hn::Mul(z, set<V>(0.5));
  const V bend = hn::NegMulAdd(half, at.r.lost, at.r.lost);
  const V curve = hn::MulAdd(hn::Mul(z, r), polynomial(z, kSinF64), bend);
  const Exact<V> start = exact_sum(set<V>(1), hn::Neg(half));
  const V turn = hn::NegMulAdd(r, at.r.lost, start.lost);
  const V rest = hn::MulAdd(hn::Mul(z, z), polynomial(z, kCosF64), turn);
  return {at.n, exact_sum(r, curve), exact_sum(start.rounded, rest)};
}

// The sine of kQuarters quarter turns more than the angle.
template <int64_t kQuarters, class V>
HWY_INLINE V sine(const Turned<V>& at) {
  const hn::DFromV<V> d;
  const Signed<V> di;
  const auto n = hn::Add(at.n, hn::Set(di, kQuarters));
  const auto one = hn::Set(di, 1);
  const auto odd = hn::RebindMask(d, hn::Eq(hn::And(n, one), one));
  const auto sign = hn::ShiftLeft<62>(hn::And(n, hn::Set(di, 2)));
  return hn::Xor(hn::IfThenElse(odd, at.cos_r.rounded, at.sin_r.rounded), hn::BitCast(d, sign));
}

struct Sin {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    // Below, sin(x) is x, also the sign of a zero.
    return hn::IfThenElse(hn::Lt(hn::Abs(x), set<V>(0x1p-27)), x, sine<0>(turned(x)));
  }
};
struct Cos {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    return sine<1>(turned(x));
  }
};

// ---- pow ----------------------------------------------------------------------------------------

// log(1 + f) = 2 s + s^3 (2/3 + s^2 P(s^2)), s = f / (2 + f), for f from sqrt(1/2) - 1 to
// sqrt(2) - 1. Relative error 2^-64.
template <class V>
HWY_INLINE Exact<V> long_log1p(V f) {
  const Exact<V> quotient = divide({f, hn::Zero(hn::DFromV<V>())}, exact_sum(set<V>(2), f));
  const Exact<V> s = exact_sum(quotient.rounded, quotient.lost);
  const Exact<V> z = product(s, s);
  Exact<V> slope = exact_sum(set<V>(0x1.5555555555555p-1),
                             hn::Mul(z.rounded, polynomial(z.rounded, kPowLogF64)));
  slope.lost = hn::Add(slope.lost, set<V>(0x1.5555555555555p-55));
  const Exact<V> rest = product(s, product(z, slope));
  const Exact<V> sum = exact_sum(hn::Add(s.rounded, s.rounded), rest.rounded);
  return {sum.rounded, hn::Add(sum.lost, hn::MulAdd(set<V>(2), s.lost, rest.lost))};
}

// A finite x above 0 as 2^n and a number from sqrt(1/2) to sqrt(2), of which this is the logarithm.
template <class V>
struct Logarithm {
  V n;
  Exact<V> part;
};
template <class V>
HWY_INLINE Logarithm<V> split_log(V x) {
  const hn::DFromV<V> d;
  const auto subnormal = hn::Lt(x, set<V>(std::numeric_limits<double>::min()));
  const V normal = hn::IfThenElse(subnormal, hn::Mul(x, set<V>(0x1p52)), x);
  const auto exponent = exponent_of(normal);
  const V n = hn::Sub(hn::ConvertTo(d, exponent), hn::IfThenElseZero(subnormal, set<V>(52)));
  return {n, long_log1p(hn::Sub(without_exponent(normal, exponent), set<V>(1)))};
}

// The logarithm of a finite x above 0. Relative error 2^-63.
template <class V>
HWY_INLINE Exact<V> long_log(V x) {
  using C = Of<double>;
  const Logarithm<V> at = split_log(x);
  const Exact<V> sum = exact_sum(hn::Mul(at.n, set<V>(C::ln2_high)), at.part.rounded);
  const V lost = hn::MulAdd(at.n, set<V>(C::ln2_low), hn::Add(sum.lost, at.part.lost));
  return exact_sum(sum.rounded, lost);
}

struct Pow {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    const V zero = hn::Zero(hn::DFromV<V>());
    const V infinity = set<V>(std::numeric_limits<double>::infinity());
    const V size = hn::Abs(a);
    const auto plain = hn::And(hn::Gt(size, zero), hn::Lt(size, infinity));
    const Exact<V> logarithm = long_log(hn::IfThenElse(plain, size, set<V>(1)));
    // However close to 1 the base is, an exponent beyond gives 0 or infinity all the same.
    const V kept = at_most(at_least(b, -0x1p65), 0x1p65);
    Exact<V> power = exact_product(kept, logarithm.rounded);
    power.lost = hn::MulAdd(kept, logarithm.lost, power.lost);
    // -inf for 0, else what it is: inf or NaN.
    const V other = hn::IfThenElse(hn::Eq(size, zero), hn::Neg(infinity), size);
    power.rounded = hn::IfThenElse(plain, power.rounded, hn::Mul(b, other));
    power.rounded = at_most(at_least(power.rounded, -760.0), 720.0);
    power.lost = hn::IfThenElseZero(plain, at_most(at_least(power.lost, -0x1p-30), 0x1p-30));
    const auto y = long_exp(power);
    return with_sign_of_base(scale(hn::Add(y.part.rounded, y.part.lost), y.by), a, b);
  }
};

// ---- atan2, hypot -------------------------------------------------------------------------------

// The angle of an octant's point to twice the digits, by the arc tangent of q = small / large;
// above tan(pi / 8) it is pi / 4 less that of (1 - q) / (1 + q).
template <class V>
HWY_INLINE Exact<V> long_angle(const Octant<V>& at) {
  const V one = set<V>(1);
  // So that no sum overflows and no inverse is subnormal. What vanishes is 0 beside the larger.
  V factor = hn::IfThenElse(hn::Gt(at.large, set<V>(0x1p1000)), set<V>(0x1p-100), one);
  factor = hn::IfThenElse(hn::Lt(at.large, set<V>(0x1p-900)), set<V>(0x1p200), factor);
  const V small = hn::Mul(at.small, factor);
  const V large = hn::Mul(at.large, factor);
  const auto upper = hn::Gt(small, hn::Mul(large, set<V>(0x1.a827999fcef32p-2)));
  const Exact<V> less = exact_sum(large, hn::Neg(small));
  const Exact<V> more = exact_sum(large, small);
  const Exact<V> top = {hn::IfThenElse(upper, less.rounded, small),
                        hn::IfThenElseZero(upper, less.lost)};
  const Exact<V> bottom = {hn::IfThenElse(upper, more.rounded, large),
                           hn::IfThenElseZero(upper, more.lost)};
  const Exact<V> s = divide(top, bottom);
  const V z = hn::Mul(s.rounded, s.rounded);
  const V rest = hn::MulAdd(hn::Mul(s.rounded, z), polynomial(z, kAtanF64), s.lost);
  // The angle is k pi / 4 and the arc tangent, or less it.
  V k = hn::IfThenElseZero(upper, one);
  k = hn::IfThenElse(at.steep, hn::Sub(set<V>(2), k), k);
  k = hn::IfThenElse(at.behind, hn::Sub(set<V>(4), k), k);
  const auto turned = hn::Xor(hn::Xor(upper, at.steep), at.behind);
  const V sign = hn::IfThenElse(turned, hn::Neg(one), one);
  Exact<V> base = exact_product(k, set<V>(0x1.921fb54442d18p-1));
  base.lost = hn::MulAdd(k, set<V>(0x1.1a62633145c07p-55), base.lost);
  const Exact<V> sum = exact_sum(base.rounded, hn::Mul(sign, s.rounded));
  const V lost = hn::MulAdd(sign, rest, hn::Add(sum.lost, base.lost));
  return {sum.rounded, lost};
}

struct Atan2 {
  template <class V>
  HWY_INLINE V operator()(V y, V x) const {
    const auto at = octant(y, x);
    const Exact<V> angle = long_angle(at);
    return at.finish(hn::Add(angle.rounded, angle.lost), y, x);
  }
};

// h = sqrt(a^2 + b^2), the sum to twice the digits, and one step of Newton from there.
struct Hypot {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    const V zero = hn::Zero(hn::DFromV<V>());
    const V one = set<V>(1);
    const V first = hn::Abs(a);
    const V second = hn::Abs(b);
    const auto swap = hn::Lt(first, second);
    V large = hn::IfThenElse(swap, second, first);
    V small = hn::IfThenElse(swap, first, second);
    const auto huge = hn::Gt(large, set<V>(0x1p500));
    const auto tiny = hn::Lt(large, set<V>(0x1p-400));
    const V factor =
        hn::IfThenElse(tiny, set<V>(0x1p600), hn::IfThenElse(huge, set<V>(0x1p-600), one));
    const V back =
        hn::IfThenElse(tiny, set<V>(0x1p-600), hn::IfThenElse(huge, set<V>(0x1p600), one));
    large = hn::Mul(large, factor);
    small = hn::Mul(small, factor);
    const Exact<V> square = exact_product(large, large);
    const Exact<V> other = exact_product(small, small);
    const Exact<V> sum = exact_sum(square.rounded, other.rounded);
    const V lost = hn::Add(sum.lost, hn::Add(square.lost, other.lost));
    const V h = hn::Sqrt(sum.rounded);
    const V off = hn::Add(hn::NegMulAdd(h, h, sum.rounded), lost);
    const V y = hn::Add(h, hn::Div(off, hn::Add(h, h)));
    return or_infinite(hn::Mul(hn::IfThenElse(hn::Eq(sum.rounded, zero), zero, y), back), a, b);
  }
};

}  // namespace full
}  // namespace math
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_MATH_FULL_INL_H
