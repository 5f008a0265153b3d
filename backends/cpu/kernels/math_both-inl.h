// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/math_both-inl.h: functions whose f32 is computed in f64 and rounded once,
// and whose f64 has arithmetic of its own. Sin()(x) and the like take vectors of either.

#if defined(TENON_CPU_MATH_BOTH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_MATH_BOTH_INL_H
#undef TENON_CPU_MATH_BOTH_INL_H
#else
#define TENON_CPU_MATH_BOTH_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/math_full-inl.h"
#include "kernels/math_gelu-inl.h"
#include "kernels/math_wide-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace math {

// f of f32 vectors by f of f64 vectors, half of the lanes at a time.
template <class F, class V, class... More>
HWY_INLINE V in_f64(const F& f, V x, More... more) {
  const hn::DFromV<V> d;
  const hn::Half<decltype(d)> half;
  const hn::Rebind<double, decltype(half)> wide;
  const auto low = f(hn::PromoteTo(wide, hn::LowerHalf(half, x)),
                     hn::PromoteTo(wide, hn::LowerHalf(half, more))...);
  const auto high = f(hn::PromoteTo(wide, hn::UpperHalf(half, x)),
                      hn::PromoteTo(wide, hn::UpperHalf(half, more))...);
  return hn::Combine(d, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
}

template <class Wide, class Full>
struct Both {
  template <class V, class... More>
  HWY_INLINE V operator()(V x, More... more) const {
    if constexpr (sizeof(Lane<V>) == 4) {
      return in_f64(Wide(), x, more...);
    } else {
      return Full()(x, more...);
    }
  }
};

using Sin = Both<wide::Sin, full::Sin>;
using Cos = Both<wide::Cos, full::Cos>;
using Pow = Both<wide::Pow, full::Pow>;
using Atan2 = Both<wide::Atan2, full::Atan2>;
using Hypot = Both<wide::Hypot, full::Hypot>;
template <bool kTanh>
using Gelu = Both<wide::Gelu<kTanh>, full::Gelu<kTanh>>;
template <bool kTanh>
using GeluGrad = Both<wide::GeluGrad<kTanh>, full::GeluGrad<kTanh>>;

}  // namespace math
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_MATH_BOTH_INL_H
