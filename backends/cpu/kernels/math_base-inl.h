// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/math_base-inl.h: what vector functions are made of: constants of f32 and
// f64, polynomials, clamps, numbers of twice the digits, and the reduction and scaling of
// exponentials.

#if defined(TENON_CPU_MATH_BASE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_MATH_BASE_INL_H
#undef TENON_CPU_MATH_BASE_INL_H
#else
#define TENON_CPU_MATH_BASE_INL_H
#endif

#include <hwy/highway.h>

#include <utility>

#include "kernels/math_coefficients.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace math {

// ---- Constants of f32 and f64 -------------------------------------------------------------------

template <class T>
struct Of;
template <>
struct Of<float> {
  static constexpr float log2e = 0x1.715476p+0f;
  // ln2 = high + low; high times an exponent is exact.
  static constexpr float ln2_high = 0x1.62e4p-1f;
  static constexpr float ln2_low = 0x1.7f7d1cp-20f;
  static constexpr float round = 0x1.8p23f;  // adding it rounds to an integer
  static constexpr float exp_least = -104.0f;
  static constexpr float exp_most = 89.0f;
  static constexpr float expm1_least = -18.0f;
  static constexpr float tiny = 0x1p-25f;  // below it expm1(x) is x
  static constexpr int bias = 127;
  static constexpr int fraction_bits = 23;
  static constexpr int32_t half_root_bits = 0x3f3504f3;  // sqrt(0.5)
  static constexpr const float (&exp)[6] = kExpLongF32;
};
template <>
struct Of<double> {
  static constexpr double log2e = 0x1.71547652b82fep+0;
  static constexpr double ln2_high = 0x1.62e42feep-1;
  static constexpr double ln2_low = 0x1.a39ef35793c76p-33;
  static constexpr double round = 0x1.8p52;
  static constexpr double exp_least = -746.0;
  static constexpr double exp_most = 710.0;
  static constexpr double expm1_least = -40.0;
  static constexpr double tiny = 0x1p-54;
  static constexpr int bias = 1023;
  static constexpr int fraction_bits = 52;
  static constexpr int64_t half_root_bits = 0x3fe6a09e667f3bcd;
  static constexpr const double (&exp)[11] = kExpF64;
};

template <class V>
using Lane = hn::TFromD<hn::DFromV<V>>;
template <class V>
using Signed = hn::RebindToSigned<hn::DFromV<V>>;
// Highway's own name for it is not on every target.
template <class V>
using Mask = decltype(hn::Lt(std::declval<V>(), std::declval<V>()));

template <class V>
HWY_INLINE V set(Lane<V> value) {
  return hn::Set(hn::DFromV<V>(), value);
}

// c[K] + c[K + 1] x + c[K + 2] x^2 + ..., by Horner's rule.
template <size_t K = 0, class V, size_t N>
HWY_INLINE V polynomial(V x, const Lane<V> (&c)[N]) {
  if constexpr (K + 1 == N) {
    return set<V>(c[K]);
  } else {
    return hn::MulAdd(polynomial<K + 1>(x, c), x, set<V>(c[K]));
  }
}

// Clamps that leave a NaN a NaN. Where one operand is NaN, Min and Max give the second on x86, and
// on NEON the other one.
template <class V>
HWY_INLINE V at_most(V x, Lane<V> most) {
  const V end = set<V>(most);
#if HWY_TARGET == HWY_NEON
  return hn::IfThenElse(hn::Gt(x, end), end, x);
#else
  return hn::Min(end, x);
#endif
}
template <class V>
HWY_INLINE V at_least(V x, Lane<V> least) {
  const V end = set<V>(least);
#if HWY_TARGET == HWY_NEON
  return hn::IfThenElse(hn::Lt(x, end), end, x);
#else
  return hn::Max(end, x);
#endif
}

// ---- Numbers of twice the digits ----------------------------------------------------------------

// x and what rounding it lost. Source: T. Dekker, "A floating-point technique for extending the
// available precision", 1971; D. Knuth, "The Art of Computer Programming", volume 2, 4.2.2.
template <class V>
struct Exact {
  V rounded, lost;
};

// a + b for |a| not below |b|, or where the sum is exact.
template <class V>
HWY_INLINE Exact<V> exact_sum(V a, V b) {
  const V sum = hn::Add(a, b);
  return {sum, hn::Sub(b, hn::Sub(sum, a))};
}

// a + b whichever is larger.
template <class V>
HWY_INLINE Exact<V> any_sum(V a, V b) {
  const V sum = hn::Add(a, b);
  const V of_b = hn::Sub(sum, a);
  const V of_a = hn::Sub(sum, of_b);
  return {sum, hn::Add(hn::Sub(a, of_a), hn::Sub(b, of_b))};
}

template <class V>
HWY_INLINE Exact<V> exact_product(V a, V b) {
  const V product = hn::Mul(a, b);
  return {product, hn::MulSub(a, b, product)};
}
template <class V>
HWY_INLINE Exact<V> product(Exact<V> a, Exact<V> b) {
  const Exact<V> y = exact_product(a.rounded, b.rounded);
  return {y.rounded, hn::MulAdd(a.rounded, b.lost, hn::MulAdd(a.lost, b.rounded, y.lost))};
}

// top / bottom, nearly as if both were known exactly; no infinities. The parts may be added.
template <class V>
HWY_INLINE Exact<V> divide(Exact<V> top, Exact<V> bottom) {
  const V one = set<V>(1);
  const V inverse = hn::Div(one, bottom.rounded);
  V off = hn::NegMulAdd(bottom.rounded, inverse, one);
  off = hn::NegMulAdd(bottom.lost, inverse, off);
  const V y = hn::Mul(top.rounded, inverse);
  const V lost = hn::MulAdd(top.lost, inverse, hn::MulSub(top.rounded, inverse, y));
  return {y, hn::MulAdd(y, off, lost)};
}

// ---- Exponentials -------------------------------------------------------------------------------

// 2^n for an integer n as a float of a normal result.
template <class V, class I>
HWY_INLINE V power_of_2(I n) {
  const hn::DFromV<V> d;
  const Signed<V> di;
  using T = Lane<V>;
  const I biased = hn::Add(n, hn::Set(di, Of<T>::bias));
  return hn::BitCast(d, hn::ShiftLeft<Of<T>::fraction_bits>(biased));
}

// x nearly n ln2 + r, |r| at most a little over ln2 / 2.
template <class V>
struct Reduced {
  V magic;  // n + Of<T>::round: its low bits are n
  V n;
  V r;
  HWY_INLINE auto integer() const {
    const Signed<V> di;
    return hn::Sub(hn::BitCast(di, magic), hn::BitCast(di, set<V>(Of<Lane<V>>::round)));
  }
};
template <class V>
HWY_INLINE Reduced<V> reduce_exp(V x) {
  using C = Of<Lane<V>>;
  Reduced<V> y;
  y.magic = hn::MulAdd(x, set<V>(C::log2e), set<V>(C::round));
  y.n = hn::Sub(y.magic, set<V>(C::round));
  y.r = hn::NegMulAdd(y.n, set<V>(C::ln2_high), x);
  y.r = hn::NegMulAdd(y.n, set<V>(C::ln2_low), y.r);
  return y;
}

// p 2^n, rounded once where it is subnormal. p is within a factor of 2 of 1, and of n no more is
// asked than that p 2^n is between twice the largest number and half the least.
template <class V>
HWY_INLINE V scale(V p, const Reduced<V>& by) {
#if HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(Lane<V>) == 4) {
    return V{_mm512_scalef_ps(p.raw, by.n.raw)};
  } else {
    return V{_mm512_scalef_pd(p.raw, by.n.raw)};
  }
#else
  // The first product is exact, so the second alone rounds.
  const auto n = by.integer();
  const auto half = hn::ShiftRight<1>(n);
  return hn::Mul(hn::Mul(p, power_of_2<V>(half)), power_of_2<V>(hn::Sub(n, half)));
#endif
}

}  // namespace math
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_MATH_BASE_INL_H
