// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/math_corners-inl.h: what pow, atan2 and hypot share in both precisions:
// octants, and the zeros, infinities and NaN of C, Annex F.10.1.4, F.10.4.3 and F.10.4.4.

#if defined(TENON_CPU_MATH_CORNERS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_MATH_CORNERS_INL_H
#undef TENON_CPU_MATH_CORNERS_INL_H
#else
#define TENON_CPU_MATH_CORNERS_INL_H
#endif

#include <hwy/highway.h>

#include <limits>

#include "kernels/math_base-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace math {

// A point as its two sizes, small <= large, large > 0, both finite; and how its angle follows from
// the arc tangent of small / large.
template <class V>
struct Octant {
  V small, large;
  Mask<V> steep;   // nearer to the y axis
  Mask<V> behind;  // left of it
  // The angle with the sign of y, or NaN.
  HWY_INLINE V finish(V angle, V y, V x) const {
    const V nan = set<V>(std::numeric_limits<Lane<V>>::quiet_NaN());
    const auto none = hn::Or(hn::IsNaN(y), hn::IsNaN(x));
    return hn::IfThenElse(none, nan, hn::CopySign(angle, y));
  }
};

template <class V>
HWY_INLINE Octant<V> octant(V y, V x) {
  const hn::DFromV<V> d;
  const V zero = hn::Zero(d);
  const V one = set<V>(1);
  const V infinity = set<V>(std::numeric_limits<Lane<V>>::infinity());
  const V width = hn::Abs(x);
  const V height = hn::Abs(y);
  Octant<V> at;
  at.steep = hn::Lt(width, height);
  at.behind = hn::Lt(hn::CopySign(one, x), zero);
  at.small = hn::IfThenElse(at.steep, width, height);
  at.large = hn::IfThenElse(at.steep, height, width);
  // Infinities point along an axis or a diagonal, the origin along the x axis.
  const auto infinite = hn::Eq(at.large, infinity);
  const V both = hn::IfThenElseZero(hn::Eq(at.small, infinity), one);
  at.small = hn::IfThenElse(infinite, both, at.small);
  at.large = hn::IfThenElse(hn::Or(infinite, hn::Eq(at.large, zero)), one, at.large);
  return at;
}

// The length, but inf where an operand is infinite, even beside a NaN.
template <class V>
HWY_INLINE V or_infinite(V length, V a, V b) {
  const V infinity = set<V>(std::numeric_limits<Lane<V>>::infinity());
  const auto infinite = hn::Or(hn::Eq(hn::Abs(a), infinity), hn::Eq(hn::Abs(b), infinity));
  return hn::IfThenElse(infinite, infinity, length);
}

// `y` is |a|^b; what pow gives for the signs of a, and where it is 1 whatever the other operand
// is: C, Annex F.10.4.4.
template <class V>
HWY_INLINE V with_sign_of_base(V y, V a, V b) {
  using Limits = std::numeric_limits<Lane<V>>;
  const V zero = hn::Zero(hn::DFromV<V>());
  const V one = set<V>(1);
  const V infinity = set<V>(Limits::infinity());
  const V size = hn::Abs(a);
  // Numbers that are whole; of those, odd ones. Infinities are even.
  const auto whole = hn::Eq(hn::Round(b), b);
  const V halved = hn::Mul(b, set<V>(0.5));
  const auto odd = hn::AndNot(hn::Eq(hn::Round(halved), halved), whole);
  const auto below = hn::And(hn::Lt(a, zero), hn::Lt(size, infinity));
  y = hn::IfThenElse(hn::AndNot(whole, below), set<V>(Limits::quiet_NaN()), y);
  y = hn::IfThenElse(odd, hn::CopySign(y, a), y);
  // 1 to any power, anything to the power 0, and -1 to infinite ones.
  auto is_one = hn::Or(hn::Eq(a, one), hn::Eq(b, zero));
  is_one = hn::Or(is_one, hn::And(hn::Eq(size, one), hn::Eq(hn::Abs(b), infinity)));
  return hn::IfThenElse(is_one, one, y);
}

}  // namespace math
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_MATH_CORNERS_INL_H
