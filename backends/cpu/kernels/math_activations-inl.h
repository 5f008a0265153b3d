// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/math_activations-inl.h: leaky_relu, elu, silu, softplus, mish, hardswish and
// logsigmoid of f32 and f64 vectors.
//
// silu and mish are within 1 ULP, also far left of 0; mish and hardswish of f32 are computed in f64
// and rounded once. logsigmoid and, with a beta of 1, softplus are within 2 ULP. For infinities the
// limit stands, but silu and mish of -inf are NaN. The bits are the same on all targets, as in
// math-inl.h.

#if defined(TENON_CPU_MATH_ACTIVATIONS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_MATH_ACTIVATIONS_INL_H
#undef TENON_CPU_MATH_ACTIVATIONS_INL_H
#else
#define TENON_CPU_MATH_ACTIVATIONS_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/math_both-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace math {

template <class V>
HWY_INLINE auto is_negative(V x) {
  return hn::Lt(x, hn::Zero(hn::DFromV<V>()));
}
template <class V>
HWY_INLINE auto is_positive(V x) {
  return hn::Gt(x, hn::Zero(hn::DFromV<V>()));
}
template <class V>
HWY_INLINE Exact<V> exactly(V x) {
  return {x, hn::Zero(hn::DFromV<V>())};
}

// ---- leaky_relu, elu ----------------------------------------------------------------------------

struct LeakyRelu {
  double negative_slope;
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const V share = hn::Mul(x, set<V>(static_cast<Lane<V>>(negative_slope)));
    return hn::IfThenElse(is_positive(x), x, share);
  }
};

// y = above x where x > 0, else below (exp(x) - 1).
struct Elu {
  double above, below;
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const V line = hn::Mul(x, set<V>(static_cast<Lane<V>>(above)));
    const V bend = hn::Mul(Expm1()(x), set<V>(static_cast<Lane<V>>(below)));
    return hn::IfThenElse(is_positive(x), line, bend);
  }
};

// ---- silu ---------------------------------------------------------------------------------------

// Beyond, t exp(-t) is less than half of the least number.
template <class V>
inline constexpr Lane<V> kShareEnd = sizeof(Lane<V>) == 4 ? 110 : 755;

// `size` with the sign of x, NaN if x is infinite.
template <class V>
HWY_INLINE V finite_share(V size, V x) {
  return hn::CopySign(hn::Add(size, hn::Sub(x, x)), x);
}

struct Silu {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const V t = at_most(hn::Abs(x), kShareEnd<V>);
    const Scaled<V> e = long_exp(exactly(hn::Neg(t)));
    const Scaled<V> share = logistic(e.by, e.part, is_negative(x));
    const Exact<V> y = product(exactly(t), share.part);
    const V scaled = scale(hn::Add(y.rounded, y.lost), share.by);
    return hn::IfThenElse(hn::Gt(x, set<V>(kShareEnd<V>)), x, finite_share(scaled, x));
  }
};

// ---- softplus, logsigmoid -----------------------------------------------------------------------

// ln(1 + exp(x)) = max(x, 0) + ln(1 + exp(-|x|)).
template <class V>
HWY_INLINE V smooth_positive(Exact<V> x) {
  constexpr Lane<V> kEnd = -Of<Lane<V>>::exp_least;
  const V size = at_most(hn::Abs(x.rounded), kEnd);
  // Of infinities there is no number.
  const V lost = hn::IfThenElseZero(hn::Lt(size, set<V>(kEnd)), x.lost);
  const V toward = hn::IfThenElse(is_negative(x.rounded), lost, hn::Neg(lost));
  const Scaled<V> e = long_exp(Exact<V>{hn::Neg(size), toward});
  const V bend = Log1p()(scale(hn::Add(e.part.rounded, e.part.lost), e.by));
  const V rest = hn::IfThenElseZero(is_positive(x.rounded), lost);
  return hn::Add(at_least(x.rounded, 0), hn::Add(bend, rest));
}

struct Softplus {
  double beta, threshold;
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const V times = set<V>(static_cast<Lane<V>>(beta));
    const Exact<V> power = exact_product(x, times);
    const V y = hn::Div(smooth_positive(power), times);
    const auto linear = hn::Gt(power.rounded, set<V>(static_cast<Lane<V>>(threshold)));
    return hn::IfThenElse(linear, x, y);
  }
};
struct LogSigmoid {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    return hn::Neg(smooth_positive(exactly(hn::Neg(x))));
  }
};

// ---- mish ---------------------------------------------------------------------------------------

// tanh(ln(1 + exp(x))) by m = exp(-|x|): m (2 + m) / (2 + 2 m + m^2) left of 0, and right of it
// (1 + 2 m) / (1 + 2 m + 2 m^2).
namespace full {

struct Mish {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const auto negative = is_negative(x);
    const V t = at_most(hn::Abs(x), kShareEnd<V>);
    Scaled<V> e = long_exp(exactly(hn::Neg(t)));
    const Exact<V> m = beside_one(e);
    const V one = set<V>(1);
    const V two = set<V>(2);
    const V base = hn::IfThenElse(negative, two, one);
    const V times = hn::IfThenElse(negative, one, two);
    // 2 + m or 1 + 2 m.
    Exact<V> top = any_sum(base, hn::Mul(times, m.rounded));
    top.lost = hn::MulAdd(times, m.lost, top.lost);
    // 2 m + m^2 or 2 m + 2 m^2.
    const Exact<V> square = product(m, m);
    Exact<V> rest = any_sum(hn::Mul(two, m.rounded), hn::Mul(times, square.rounded));
    rest.lost = hn::Add(rest.lost, hn::MulAdd(two, m.lost, hn::Mul(times, square.lost)));
    Exact<V> bottom = any_sum(base, rest.rounded);
    bottom.lost = hn::Add(bottom.lost, rest.lost);
    const Exact<V> grown = product(e.part, top);
    top.rounded = hn::IfThenElse(negative, grown.rounded, top.rounded);
    top.lost = hn::IfThenElse(negative, grown.lost, top.lost);
    e.by.n = hn::IfThenElseZero(negative, e.by.n);
    e.by.magic = hn::IfThenElse(negative, e.by.magic, set<V>(Of<double>::round));
    const Exact<V> y = product(exactly(t), divide(top, bottom));
    const V scaled = scale(hn::Add(y.rounded, y.lost), e.by);
    return hn::IfThenElse(hn::Gt(x, set<V>(kShareEnd<V>)), x, finite_share(scaled, x));
  }
};

}  // namespace full
namespace wide {

// From here on no f32 is left of exp(-x).
inline constexpr double kShareEnd = 200;

struct Mish {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const auto negative = is_negative(x);
    const V one = set<V>(1);
    const V two = set<V>(2);
    const V m = exp_wide(hn::Neg(at_most(hn::Abs(x), kShareEnd)));
    // NaN of -inf; far left of 0 the product with any f32 has none itself.
    const V left = hn::Add(hn::Mul(m, hn::Add(m, two)), hn::Sub(x, x));
    const V right = hn::MulAdd(m, two, one);
    const V top = hn::IfThenElse(negative, left, right);
    const V rest = hn::IfThenElse(negative, two, hn::Mul(hn::Mul(m, m), two));
    return hn::Div(hn::Mul(x, top), hn::Add(top, rest));
  }
};

}  // namespace wide

using Mish = Both<wide::Mish, full::Mish>;

// ---- hardswish ----------------------------------------------------------------------------------

// A product by a rounded sixth is enough for f32.
template <bool kShort>
struct HardswishOf {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const V three = set<V>(3);
    const V y = hn::Mul(x, hn::Add(x, three));
    const V part = kShort ? hn::Mul(y, set<V>(1.0 / 6)) : hn::Div(y, set<V>(6));
    const V right = hn::IfThenElse(hn::Ge(x, three), x, part);
    return hn::IfThenElse(hn::Le(x, set<V>(-3)), set<V>(-0.0), right);
  }
};
using Hardswish = Both<HardswishOf<true>, HardswishOf<false>>;

}  // namespace math
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_MATH_ACTIVATIONS_INL_H
