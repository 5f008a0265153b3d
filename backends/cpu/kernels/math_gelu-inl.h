// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/math_gelu-inl.h: gelu and gelu_grad of f64 vectors.
//
// gelu is within 2 ULP, on samples, far left of 0 too. The gradient is the sum of P(x) and x P'(x),
// which cancel near -0.75: it is within 2 ULP of the larger of them. The bits are the same on all
// targets, as in math-inl.h.

#if defined(TENON_CPU_MATH_GELU_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_MATH_GELU_INL_H
#undef TENON_CPU_MATH_GELU_INL_H
#else
#define TENON_CPU_MATH_GELU_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace math {
namespace full {

// What is left of the normal distribution function P beyond t >= 0, and t P'(t).
template <class V>
struct Tail {
  Scaled<V> beyond, slope;
};

// The tail is exp(-t^2 / 2) R(w) / (t + 5), w = (t - 5) / (t + 5).
template <class V>
HWY_INLINE Tail<V> normal_tail(V t) {
  const V by = set<V>(5);
  const V height = set<V>(0x1.9884533d43651p-2);  // 1 / sqrt(2 pi), and what rounding it lost
  const V height_lost = set<V>(-0x1.cbc0d30ebfd15p-56);
  const Exact<V> bottom = any_sum(t, by);
  const Exact<V> quotient = divide(any_sum(t, hn::Neg(by)), bottom);
  const Exact<V> w = exact_sum(quotient.rounded, quotient.lost);
  const Exact<V> rise = exact_product(w.rounded, polynomial<1>(w.rounded, kNormalTailF64));
  Exact<V> r = any_sum(set<V>(kNormalTailF64[0]), rise.rounded);
  // R'(w) is R'(t) (t + 5)^2 / 10; the tail's own derivative is known.
  const V steep = hn::MulSub(t, r.rounded, hn::Mul(height, bottom.rounded));
  const V grown = hn::MulAdd(steep, bottom.rounded, r.rounded);
  const V by_w = hn::Mul(hn::Mul(grown, bottom.rounded), set<V>(0.1));
  r.lost = hn::Add(r.lost, hn::MulAdd(w.lost, by_w, rise.lost));
  const auto e = long_exp(exact_product(t, hn::Mul(t, set<V>(-0.5))));
  const Exact<V> slope = product({height, height_lost}, e.part);
  return {{divide(product(r, e.part), bottom), e.by},
          {product({t, hn::Zero(hn::DFromV<V>())}, slope), e.by}};
}

// A number that 2^n makes small beside 1, multiplied by it.
template <class V>
HWY_INLINE Exact<V> beside_one(const Scaled<V>& x) {
  const Signed<V> di;
  const V power = power_of_2<V>(hn::Max(x.by.integer(), hn::Set(di, 1 - Of<double>::bias)));
  return {hn::Mul(x.part.rounded, power), hn::Mul(x.part.lost, power)};
}

// 1 - x, or x itself where `kept` says so.
template <class V, class M>
HWY_INLINE Scaled<V> complement_unless(M kept, const Scaled<V>& x) {
  const Exact<V> taken = beside_one(x);
  const Exact<V> rest = any_sum(set<V>(1), hn::Neg(taken.rounded));
  Scaled<V> y = x;
  y.part.rounded = hn::IfThenElse(kept, x.part.rounded, rest.rounded);
  y.part.lost = hn::IfThenElse(kept, x.part.lost, hn::Sub(rest.lost, taken.lost));
  y.by.n = hn::IfThenElseZero(kept, x.by.n);
  y.by.magic = hn::IfThenElse(kept, x.by.magic, set<V>(Of<double>::round));
  return y;
}

// 2 sqrt(2 / pi) t (1 + c t^2) to twice the digits, c = 0.044715 or three times that.
template <int kTimes, class V>
HWY_INLINE Exact<V> cubic(V t) {
  static_assert(kTimes == 1 || kTimes == 3);
  const Exact<V> third = kTimes == 1
                             ? Exact<V>{set<V>(0x1.2444f2a4d8b4bp-4), set<V>(-0x1.6c843a29d1c7p-61)}
                             : Exact<V>{set<V>(0x1.b6676bf7450fp-3), set<V>(0x1.bba7351828aabp-57)};
  const Exact<V> inner = product(exact_product(t, t), third);
  Exact<V> sum = any_sum(set<V>(0x1.9884533d43651p+0), inner.rounded);
  sum.lost = hn::Add(hn::Add(sum.lost, inner.lost), set<V>(-0x1.cbc0d30ebfd15p-54));
  return product({t, hn::Zero(hn::DFromV<V>())}, sum);
}

// exp of less the size of the argument of the hyperbolic tangent.
template <class V>
HWY_INLINE Scaled<V> tanh_power(V t) {
  const Exact<V> u = cubic<1>(t);
  return long_exp(Exact<V>{hn::Neg(u.rounded), hn::Neg(u.lost)});
}

// From here on P and the slope of x P(x) are 0 or 1.
template <bool kTanh>
inline constexpr double kEnd = kTanh ? 24 : 40;

// P(x), which 1 / (1 + exp(-2 u)) stands for. `t` is |x|, but not beyond the end.
template <bool kTanh, class V, class M>
HWY_INLINE Scaled<V> share(V t, M negative) {
  if constexpr (kTanh) {
    const Scaled<V> e = tanh_power(t);
    return logistic(e.by, e.part, negative);
  } else {
    return complement_unless(negative, normal_tail(t).beyond);
  }
}

template <bool kTanh>
struct Gelu {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const auto negative = hn::Lt(x, hn::Zero(hn::DFromV<V>()));
    const V t = at_most(hn::Abs(x), kEnd<kTanh>);
    const Scaled<V> p = share<kTanh>(t, negative);
    const Exact<V> y = product({t, hn::Zero(hn::DFromV<V>())}, p.part);
    const V scaled = scale(hn::Add(y.rounded, y.lost), p.by);
    return hn::IfThenElse(hn::Gt(x, set<V>(kEnd<kTanh>)), x, hn::CopySign(scaled, x));
  }
};

// P(x) + x P'(x).
template <class V>
HWY_INLINE V slope_by_erf(V t, Mask<V> negative) {
  const Tail<V> tail = normal_tail(t);
  Exact<V> sum = any_sum(tail.beyond.part.rounded, hn::Neg(tail.slope.part.rounded));
  sum.lost = hn::Add(sum.lost, hn::Sub(tail.beyond.part.lost, tail.slope.part.lost));
  const Scaled<V> y = complement_unless(negative, Scaled<V>{sum, tail.beyond.by});
  return scale(hn::Add(y.part.rounded, y.part.lost), y.by);
}

// P (1 + 2 u' x (1 - P)), each factor the one of 1 / (1 + e) and e / (1 + e) that x says.
template <class V>
HWY_INLINE V slope_by_tanh(V t, Mask<V> negative) {
  const Scaled<V> e = tanh_power(t);
  const Scaled<V> p = logistic(e.by, e.part, negative);
  const Scaled<V> rest = logistic(e.by, e.part, hn::Not(negative));
  Exact<V> bend = product(cubic<3>(t), beside_one(rest));
  bend.rounded = hn::IfThenElse(negative, hn::Neg(bend.rounded), bend.rounded);
  bend.lost = hn::IfThenElse(negative, hn::Neg(bend.lost), bend.lost);
  Exact<V> sum = any_sum(set<V>(1), bend.rounded);
  sum.lost = hn::Add(sum.lost, bend.lost);
  const Exact<V> y = product(p.part, sum);
  return scale(hn::Add(y.rounded, y.lost), p.by);
}

template <bool kTanh>
struct GeluGrad {
  template <class V>
  HWY_INLINE V operator()(V dy, V x) const {
    const auto negative = hn::Lt(x, hn::Zero(hn::DFromV<V>()));
    const V t = at_most(hn::Abs(x), kEnd<kTanh>);
    if constexpr (kTanh) {
      return hn::Mul(dy, slope_by_tanh(t, negative));
    } else {
      return hn::Mul(dy, slope_by_erf(t, negative));
    }
  }
};

}  // namespace full
}  // namespace math
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_MATH_GELU_INL_H
