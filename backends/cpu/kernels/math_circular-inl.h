// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/math_circular-inl.h: tan, asin, acos and atan of f32 and f64 vectors.
//
// f32 is computed in f64 and rounded once: within 0.51 ULP. f64 has sums of two where an error
// would grow: within 1 ULP, on samples. Corners are as in C, the bits the same on all targets.

#if defined(TENON_CPU_MATH_CIRCULAR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_MATH_CIRCULAR_INL_H
#undef TENON_CPU_MATH_CIRCULAR_INL_H
#else
#define TENON_CPU_MATH_CIRCULAR_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/math_both-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace math {

// ---- tan ----------------------------------------------------------------------------------------

template <class V>
HWY_INLINE Mask<V> is_odd(hn::VFromD<Signed<V>> n) {
  const Signed<V> di;
  const auto one = hn::Set(di, 1);
  return hn::RebindMask(hn::DFromV<V>(), hn::Eq(hn::And(n, one), one));
}
template <class V>
HWY_INLINE V negative_if(Mask<V> odd, V x) {
  return hn::IfThenElse(odd, hn::Neg(x), x);
}

// tan is the sine over the cosine, which change places, and one its sign, with each quarter turn.
namespace full {

struct Tan {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const auto at = turned(x);
    const auto odd = is_odd<V>(at.n);
    const Exact<V> top = {hn::IfThenElse(odd, at.cos_r.rounded, at.sin_r.rounded),
                          hn::IfThenElse(odd, at.cos_r.lost, at.sin_r.lost)};
    const Exact<V> bottom = {hn::IfThenElse(odd, at.sin_r.rounded, at.cos_r.rounded),
                             hn::IfThenElse(odd, at.sin_r.lost, at.cos_r.lost)};
    const Exact<V> q = divide(top, bottom);
    const V y = negative_if(odd, hn::Add(q.rounded, q.lost));
    // Below, tan(x) is x, also the sign of a zero.
    return hn::IfThenElse(hn::Lt(hn::Abs(x), set<V>(0x1p-27)), x, y);
  }
};

}  // namespace full
namespace wide {

struct Tan {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const auto at = reduce_angle(x);
    const auto odd = is_odd<V>(at.n);
    const V z = hn::Mul(at.r, at.r);
    const V sin_r = hn::Mul(at.r, polynomial(z, kSinWide));
    const V cos_r = polynomial(z, kCosWide);
    const V q = hn::Div(hn::IfThenElse(odd, cos_r, sin_r), hn::IfThenElse(odd, sin_r, cos_r));
    return negative_if(odd, q);
  }
};

}  // namespace wide

// ---- asin, acos, atan ---------------------------------------------------------------------------

namespace full {

// The root of x.
template <class V>
HWY_INLINE Exact<V> root(Exact<V> x) {
  const V h = hn::Sqrt(x.rounded);
  const V off = hn::Add(hn::NegMulAdd(h, h, x.rounded), x.lost);
  const auto positive = hn::Gt(x.rounded, hn::Zero(hn::DFromV<V>()));
  return {h, hn::IfThenElseZero(positive, hn::Div(off, hn::Add(h, h)))};
}

// sqrt(1 - x^2), NaN if there is none.
template <class V>
HWY_INLINE Exact<V> other_side(V x) {
  const Exact<V> square = exact_product(x, x);
  Exact<V> rest = exact_sum(set<V>(1), hn::Neg(square.rounded));
  rest.lost = hn::Sub(rest.lost, square.lost);
  return root(rest);
}

// The angle of a point on the unit circle. It changes by the other coordinate times what one of
// them was rounded by.
struct Asin {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const Exact<V> side = other_side(x);
    const auto at = octant(x, side.rounded);
    const Exact<V> angle = long_angle(at);
    const V lost = hn::NegMulAdd(hn::Abs(x), side.lost, angle.lost);
    return at.finish(hn::Add(angle.rounded, lost), x, side.rounded);
  }
};
struct Acos {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const Exact<V> side = other_side(x);
    const auto at = octant(side.rounded, x);
    const Exact<V> angle = long_angle(at);
    const V lost = hn::MulAdd(x, side.lost, angle.lost);
    return at.finish(hn::Add(angle.rounded, lost), side.rounded, x);
  }
};
struct Atan {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    return Atan2()(x, set<V>(1));
  }
};

}  // namespace full
namespace wide {

template <class V>
HWY_INLINE V other_side(V x) {
  const V one = set<V>(1);
  return hn::Sqrt(hn::Mul(hn::Sub(one, x), hn::Add(one, x)));
}

struct Asin {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    return Atan2()(x, other_side(x));
  }
};
struct Acos {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    return Atan2()(other_side(x), x);
  }
};
struct Atan {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    return Atan2()(x, set<V>(1));
  }
};

}  // namespace wide

using Tan = Both<wide::Tan, full::Tan>;
using Asin = Both<wide::Asin, full::Asin>;
using Acos = Both<wide::Acos, full::Acos>;
using Atan = Both<wide::Atan, full::Atan>;

}  // namespace math
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_MATH_CIRCULAR_INL_H
