// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/math-inl.h: exp, expm1, log, log1p, tanh, sigmoid and erf of vectors.
//
// f32: at most 1 ULP for every input, which tests/cpu/math_test.cc proves by trying all of them.
// f64: at most 1 ULP for exp, expm1, log, log1p and erf, 2 for tanh and sigmoid, on samples.
// Subnormals, infinities, zeros of both signs and NaN are as in C.
//
// Every step is an operation that each instruction set rounds alike: + - * / fma, conversions,
// comparisons, integers. So the bits are the same on all targets, and these functions are the
// canonical arithmetic of their ops. Functions: Exp()(x) for any vector x of f32 or f64 that fills
// a register.
//
// Sources: the reductions are those of W. Cody, W. Waite, "Software Manual for the Elementary
// Functions", 1980, and P. Tang, "Table-driven implementation of the exponential function", 1989,
// here without tables; polynomials by tools/minimax.py.

#if defined(TENON_CPU_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_MATH_INL_H
#undef TENON_CPU_MATH_INL_H
#else
#define TENON_CPU_MATH_INL_H
#endif

#include <hwy/highway.h>

#include <limits>

#include "kernels/math_base-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace math {

// ---- exp, expm1 ---------------------------------------------------------------------------------

// exp(r) = 1 + r + r^2 P(r) in f32, its last two sums rounded.
template <class V>
HWY_INLINE V short_exp(V r) {
  const V p = hn::MulAdd(polynomial(r, kExpF32), r, set<V>(1));
  return hn::MulAdd(p, r, set<V>(1));
}

// The same as 1 + r rounded and what is left, up to 2^-4.
template <class V>
struct Parts {
  V large, small;
};
template <class V>
HWY_INLINE Parts<V> long_exp(V r) {
  const V one = set<V>(1);
  const V large = hn::Add(one, r);
  const V lost = hn::Sub(r, hn::Sub(large, one));
  return {large, hn::MulAdd(hn::Mul(r, r), polynomial(r, Of<Lane<V>>::exp), lost)};
}

// What has to be multiplied by 2^n.
template <class V>
struct Scaled {
  Exact<V> part;
  Reduced<V> by;
};

// exp of a number known to more digits than it has, and to as many.
template <class V>
HWY_INLINE Scaled<V> long_exp(Exact<V> x) {
  using C = Of<Lane<V>>;
  const auto at = reduce_exp(x.rounded);
  const V high = hn::NegMulAdd(at.n, set<V>(C::ln2_high), x.rounded);
  const V lost = hn::NegMulAdd(at.n, set<V>(C::ln2_low), hn::Sub(high, at.r));
  const Parts<V> p = long_exp(at.r);
  const V whole = hn::Add(p.large, p.small);
  return {exact_sum(p.large, hn::MulAdd(hn::Add(lost, x.lost), whole, p.small)), at};
}

struct Exp {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    using C = Of<Lane<V>>;
    const auto at = reduce_exp(at_most(at_least(x, C::exp_least), C::exp_most));
    if constexpr (sizeof(Lane<V>) == 4) return scale(short_exp(at.r), at);
    const auto p = long_exp(at.r);
    return scale(hn::Add(p.large, p.small), at);
  }
};

// 2^n (r + r^2 P(r)) + (2^n - 1), the large parts summed exactly. All of it is halved, so that 2^n
// does not overflow before the result does.
struct Expm1 {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    using C = Of<Lane<V>>;
    const Signed<V> di;
    const V kept = at_most(at_least(x, C::expm1_least), C::exp_most);
    const auto at = reduce_exp(kept);
    // What rounding r lost.
    const V high = hn::NegMulAdd(at.n, set<V>(C::ln2_high), kept);
    const V lost = hn::NegMulAdd(at.n, set<V>(C::ln2_low), hn::Sub(high, at.r));
    const V power = power_of_2<V>(hn::Sub(at.integer(), hn::Set(di, 1)));
    const V half = set<V>(Lane<V>(0.5));
    const V base = hn::Sub(power, half);
    const V base_lost = hn::Sub(hn::Sub(power, base), half);
    const V step = hn::Mul(power, at.r);
    const V sum = hn::Add(base, step);
    const V sum_lost = hn::Add(hn::Sub(step, hn::Sub(sum, base)), base_lost);
    // r^2 P(r), its largest term without a rounding of its own.
    const V cube = hn::Mul(hn::Mul(at.r, at.r), at.r);
    const V higher = hn::MulAdd(cube, polynomial<1>(at.r, C::exp), lost);
    const V small = hn::MulAdd(hn::Mul(set<V>(C::exp[0]), at.r), at.r, higher);
    const V y = hn::Add(sum, hn::MulAdd(power, small, sum_lost));
    return hn::IfThenElse(hn::Lt(hn::Abs(x), set<V>(C::tiny)), x, hn::Add(y, y));
  }
};

// ---- log, log1p ---------------------------------------------------------------------------------

// n ln2 + log(1 + f) for f from sqrt(1/2) - 1 to sqrt(2) - 1 and an integer n, plus `more`, which
// is less than half a last place.
template <class V>
HWY_INLINE V log_of(V n, V f, V more) {
  using C = Of<Lane<V>>;
  if constexpr (sizeof(Lane<V>) == 4) {
    const V rest = hn::MulAdd(hn::Mul(f, f), polynomial(f, kLogF32), more);
    const V high = hn::Mul(n, set<V>(C::ln2_high));
    const V sum = hn::Add(high, f);
    const V lost = hn::Sub(f, hn::Sub(sum, high));
    return hn::Add(sum, hn::Add(lost, hn::MulAdd(n, set<V>(C::ln2_low), rest)));
  } else {
    // log(1 + f) = f - (h - s (h + R(s^2))), h = f^2 / 2 and s = f / (2 + f).
    const V s = hn::Div(f, hn::Add(set<V>(2), f));
    const V z = hn::Mul(s, s);
    const V h = hn::Mul(hn::Mul(set<V>(0.5), f), f);
    const V series = hn::MulAdd(z, polynomial(z, kLogF64), h);
    const V low = hn::MulAdd(n, set<V>(C::ln2_low), more);
    const V rest = hn::Sub(h, hn::MulAdd(s, series, low));
    return hn::MulAdd(n, set<V>(C::ln2_high), hn::Sub(f, rest));
  }
}

// The exponent of x where its fraction is taken from sqrt(1/2) to sqrt(2). x is normal.
template <class V>
HWY_INLINE hn::VFromD<Signed<V>> exponent_of(V x) {
  const Signed<V> di;
  using C = Of<Lane<V>>;
  const auto above = hn::Sub(hn::BitCast(di, x), hn::Set(di, C::half_root_bits));
  return hn::ShiftRight<C::fraction_bits>(above);
}

// x 2^-n; normal, as x is.
template <class V, class I>
HWY_INLINE V without_exponent(V x, I n) {
  const Signed<V> di;
  const auto bits = hn::Sub(hn::BitCast(di, x), hn::ShiftLeft<Of<Lane<V>>::fraction_bits>(n));
  return hn::BitCast(hn::DFromV<V>(), bits);
}

// `y` for x in (0, inf); what log gives elsewhere.
template <class V>
HWY_INLINE V log_domain(V x, V y) {
  using Limits = std::numeric_limits<Lane<V>>;
  const V zero = hn::Zero(hn::DFromV<V>());
  // +inf and NaN stay what they are.
  V other = hn::IfThenElse(hn::Lt(x, zero), set<V>(Limits::quiet_NaN()), x);
  other = hn::IfThenElse(hn::Eq(x, zero), set<V>(-Limits::infinity()), other);
  const auto inside = hn::And(hn::Gt(x, zero), hn::Lt(x, set<V>(Limits::infinity())));
  return hn::IfThenElse(inside, y, other);
}

struct Log {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    using T = Lane<V>;
    const hn::DFromV<V> d;
    constexpr T up = sizeof(T) == 4 ? T(0x1p23) : T(0x1p52);
    const auto subnormal = hn::Lt(x, set<V>(std::numeric_limits<T>::min()));
    const V normal = hn::IfThenElse(subnormal, hn::Mul(x, set<V>(up)), x);
    const V shift = hn::IfThenElseZero(subnormal, set<V>(T(Of<T>::fraction_bits)));
    const auto exponent = exponent_of(normal);
    const V f = hn::Sub(without_exponent(normal, exponent), set<V>(1));
    return log_domain(x, log_of(hn::Sub(hn::ConvertTo(d, exponent), shift), f, hn::Zero(d)));
  }
};

// log(1 + x) with 1 + x = 2^n (1 + f), f = x 2^-n + (2^-n - 1) rounded once.
struct Log1p {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    using C = Of<Lane<V>>;
    const hn::DFromV<V> d;
    const Signed<V> di;
    const V sum = hn::Add(set<V>(1), x);
    const auto n = exponent_of(sum);
    // Beyond 2^-bias nothing is left of it beside -1.
    const V power = power_of_2<V>(hn::Neg(hn::Min(n, hn::Set(di, C::bias))));
    const V base = hn::Sub(power, set<V>(1));
    const V part = without_exponent(x, n);
    const V f = hn::Add(base, part);
    // The sum is exact unless n = 1, where base is the larger. log(1 + f + lost) is log(1 + f) +
    // lost (1 - f + ...).
    const V lost = hn::Sub(part, hn::Sub(f, base));
    const V y = log_domain(sum, log_of(hn::ConvertTo(d, n), f, hn::NegMulAdd(f, lost, lost)));
    return hn::IfThenElse(hn::Lt(hn::Abs(x), set<V>(C::tiny)), x, y);
  }
};

// ---- tanh, sigmoid ------------------------------------------------------------------------------

struct Tanh {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    if constexpr (sizeof(Lane<V>) == 4) {
      return of_f32(x);
    } else {
      return of_f64(x);
    }
  }

 private:
  // x + x^3 P(x^2) below 1; 1 - 2 / (exp(2 |x|) + 1) from there.
  template <class V>
  static HWY_INLINE V of_f32(V x) {
    const V size = hn::Abs(x);
    const V kept = at_most(size, 10.0f);
    const auto at = reduce_exp(hn::Add(kept, kept));
    const V power = power_of_2<V>(at.integer());
    const V sum = hn::MulAdd(short_exp(at.r), power, set<V>(1));
    const V large = hn::Sub(set<V>(1), hn::Div(set<V>(2), sum));
    const V z = hn::Mul(x, x);
    const V small = hn::MulAdd(hn::Mul(z, size), polynomial(z, kTanhF32), size);
    return hn::CopySign(hn::IfThenElse(hn::Lt(size, set<V>(1)), small, large), x);
  }
  // With t = expm1(2 |x|): t / (t + 2) below 2, 1 - 2 / (t + 2) from there, where that is larger.
  template <class V>
  static HWY_INLINE V of_f64(V x) {
    const V two = set<V>(2);
    const V size = at_most(hn::Abs(x), 22.0);
    const V t = Expm1()(hn::Add(size, size));
    const auto small = hn::Lt(t, two);
    const Exact<V> bottom = exact_sum(hn::IfThenElse(small, two, t), hn::IfThenElse(small, t, two));
    const auto q = divide({hn::IfThenElse(small, t, two), hn::Zero(hn::DFromV<V>())}, bottom);
    const V y = hn::Add(q.rounded, q.lost);
    return hn::CopySign(hn::IfThenElse(small, y, hn::Sub(set<V>(1), y)), x);
  }
};

// 1 / (1 + e) for an e = p 2^n up to 1, or e / (1 + e) where `small` says so; all of it as sums of
// a large and a small part.
template <class V, class M>
HWY_INLINE Scaled<V> logistic(Reduced<V> at, Exact<V> p, M small) {
  using C = Of<Lane<V>>;
  const Signed<V> di;
  const V one = set<V>(1);
  // Where it is less, 1 + e is 1 all the same.
  const V power = power_of_2<V>(hn::Max(at.integer(), hn::Set(di, 1 - C::bias)));
  Exact<V> bottom = exact_sum(one, hn::Mul(p.rounded, power));
  bottom.lost = hn::MulAdd(p.lost, power, bottom.lost);
  at.n = hn::IfThenElseZero(small, at.n);
  at.magic = hn::IfThenElse(small, at.magic, set<V>(C::round));
  const Exact<V> top = {hn::IfThenElse(small, p.rounded, one), hn::IfThenElseZero(small, p.lost)};
  return {divide(top, bottom), at};
}

struct Sigmoid {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const auto at = reduce_exp(at_least(hn::Neg(hn::Abs(x)), Of<Lane<V>>::exp_least));
    const auto parts = long_exp(at.r);
    const auto negative = hn::Lt(x, hn::Zero(hn::DFromV<V>()));
    const auto y = logistic(at, exact_sum(parts.large, parts.small), negative);
    return scale(hn::Add(y.part.rounded, y.part.lost), y.by);
  }
};

// ---- erf ----------------------------------------------------------------------------------------

// x + x P(x^2) below 1. From there in f32 Q(|x| - 2.3828125), which is 1 from 4 on; in f64
// 1 - erfc(|x|) by the exponential of Q(|x| - 1), which vanishes before 6.
struct Erf {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const V size = hn::Abs(x);
    const V z = hn::Mul(x, x);
    V small, large;
    if constexpr (sizeof(Lane<V>) == 4) {
      small = hn::MulAdd(size, polynomial(z, kErfF32), size);
      large = polynomial(hn::Sub(at_most(size, 4.0f), set<V>(2.3828125f)), kErfLargeF32);
    } else {
      small = hn::MulAdd(size, polynomial(z, kErfF64), size);
      large = complement(hn::Sub(at_most(size, 6.0), set<V>(1)));
    }
    return hn::CopySign(hn::IfThenElse(hn::Lt(size, set<V>(1)), small, large), x);
  }

 private:
  // 1 - erfc(1 + u).
  template <class V>
  static HWY_INLINE V complement(V u) {
    const V one = set<V>(1);
    const V slope = polynomial(u, kLogErfcF64);
    const Exact<V> rise = exact_product(u, slope);
    Exact<V> logarithm = any_sum(set<V>(-0x1.d97fbf27aa2a1p+0), rise.rounded);
    logarithm.lost = hn::Add(logarithm.lost, hn::Add(rise.lost, set<V>(-0x1.9b2f9379f1952p-57)));
    const auto e = long_exp(logarithm);
    const V power = power_of_2<V>(e.by.integer());
    const Exact<V> y = exact_sum(one, hn::Neg(hn::Mul(e.part.rounded, power)));
    return hn::Add(y.rounded, hn::NegMulAdd(e.part.lost, power, y.lost));
  }
};

}  // namespace math
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_MATH_INL_H
