// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/math_erf_inverse-inl.h: erfinv of f32 and f64 vectors.
//
// f32 is computed in f64 and rounded once. f64 is within 3 ULP, on samples. The bits are the same
// on all targets, as in math-inl.h. Polynomials by tools/minimax.py.

#if defined(TENON_CPU_MATH_ERF_INVERSE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_MATH_ERF_INVERSE_INL_H
#undef TENON_CPU_MATH_ERF_INVERSE_INL_H
#else
#define TENON_CPU_MATH_ERF_INVERSE_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/math_both-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace math {
namespace full {

// x (sqrt(pi) / 2 + x^2 P(x^2)) up to 3/4. From there, with s = sqrt(-log(1 - |x|)), s and a
// polynomial in (s - 2) / (s + 2).
struct ErfInverse {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    using Limits = std::numeric_limits<double>;
    const V one = set<V>(1);
    const V size = hn::Abs(x);
    const V z = hn::Mul(x, x);
    const V slope = hn::MulAdd(z, polynomial(z, kErfInverseF64), set<V>(-0x1.618f13eb7ca89p-55));
    const V middle = hn::MulAdd(size, set<V>(0x1.c5bf891b4ef6bp-1), hn::Mul(size, slope));
    const V rest = at_least(hn::Sub(one, size), 0x1p-53);
    const V s = hn::Sqrt(hn::Neg(Log()(rest)));
    const V two = set<V>(2);
    const V w = hn::Div(hn::Sub(s, two), hn::Add(s, two));
    const V tail = hn::Add(s, polynomial(w, kErfInverseTailF64));
    V y = hn::IfThenElse(hn::Gt(size, set<V>(0.75)), tail, middle);
    y = hn::IfThenElse(hn::Eq(size, one), set<V>(Limits::infinity()), y);
    y = hn::IfThenElse(hn::Gt(size, one), set<V>(Limits::quiet_NaN()), y);
    return hn::CopySign(y, x);
  }
};

}  // namespace full

using ErfInverse = Both<full::ErfInverse, full::ErfInverse>;

}  // namespace math
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_MATH_ERF_INVERSE_INL_H
