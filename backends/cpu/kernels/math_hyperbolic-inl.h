// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/math_hyperbolic-inl.h: sinh, cosh, asinh, acosh and atanh of f32 and f64
// vectors.
//
// f32 is computed in f64 and rounded once: within 0.51 ULP. f64 has sums of two where an error
// would grow: within 1 ULP, on samples. Corners are as in C, the bits the same on all targets.

#if defined(TENON_CPU_MATH_HYPERBOLIC_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_MATH_HYPERBOLIC_INL_H
#undef TENON_CPU_MATH_HYPERBOLIC_INL_H
#else
#define TENON_CPU_MATH_HYPERBOLIC_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/math_circular-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace math {

// ---- sinh, cosh ---------------------------------------------------------------------------------

// sinh(x) for |x| below 1.
template <class V>
HWY_INLINE V sinh_near(V x) {
  const V z = hn::Mul(x, x);
  return hn::MulAdd(hn::Mul(x, z), polynomial(z, kSinhF64), x);
}

namespace full {

// (exp(t) + kSign exp(-t)) / 2 for t >= 0: half of 2^n p, and of 2^-n / p.
template <int kSign, class V>
HWY_INLINE V half_sum(V t) {
  const Signed<V> di;
  const V kept = at_most(t, 711.0);
  Scaled<V> e = long_exp(Exact<V>{kept, hn::Zero(hn::DFromV<V>())});
  // Where it is less, nothing of it is left.
  const auto twice = hn::Min(hn::Add(e.by.integer(), e.by.integer()), hn::Set(di, 1000));
  const V power = power_of_2<V>(hn::Neg(twice));
  const Exact<V> inverse = divide({power, hn::Zero(hn::DFromV<V>())}, e.part);
  const V sign = set<V>(kSign);
  const Exact<V> sum = exact_sum(e.part.rounded, hn::Mul(sign, inverse.rounded));
  const V lost = hn::MulAdd(sign, inverse.lost, hn::Add(sum.lost, e.part.lost));
  e.by.n = hn::Sub(e.by.n, set<V>(1));
  e.by.magic = hn::Sub(e.by.magic, set<V>(1));
  return scale(hn::Add(sum.rounded, lost), e.by);
}

struct Sinh {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const V size = hn::Abs(x);
    const V far = hn::CopySign(half_sum<-1>(size), x);
    return hn::IfThenElse(hn::Lt(size, set<V>(1)), sinh_near(x), far);
  }
};
struct Cosh {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    return half_sum<1>(hn::Abs(x));
  }
};

}  // namespace full
namespace wide {

// Past any f32, and not past any f64.
template <class V>
HWY_INLINE V exp_of_size(V x) {
  return Exp()(at_most(hn::Abs(x), 100.0));
}

struct Sinh {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const V e = exp_of_size(x);
    const V far = hn::Mul(hn::Sub(e, hn::Div(set<V>(1), e)), set<V>(0.5));
    return hn::IfThenElse(hn::Lt(hn::Abs(x), set<V>(1)), sinh_near(x), hn::CopySign(far, x));
  }
};
struct Cosh {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const V e = exp_of_size(x);
    return hn::Mul(hn::Add(e, hn::Div(set<V>(1), e)), set<V>(0.5));
  }
};

}  // namespace wide

// ---- asinh, acosh, atanh ------------------------------------------------------------------------

namespace full {

// The inverse hyperbolic tangent of |s| up to (sqrt(2) - 1) / (sqrt(2) + 1).
template <class V>
HWY_INLINE V atanh_near(Exact<V> s) {
  const V z = hn::Mul(s.rounded, s.rounded);
  const V slope =
      hn::MulAdd(hn::Mul(z, set<V>(0.5)), polynomial(z, kPowLogF64), set<V>(0x1.5555555555555p-2));
  return hn::Add(s.rounded, hn::MulAdd(hn::Mul(s.rounded, z), slope, s.lost));
}

// log(u), or log(2 u) where `doubled` says so; u finite and above 0.
template <class V>
HWY_INLINE V log_of_sum(Exact<V> u, Mask<V> doubled) {
  const Exact<V> y = long_log(u.rounded);
  const V ln2 = hn::IfThenElseZero(doubled, set<V>(0x1.62e42fefa39efp-1));
  const V ln2_rest = hn::IfThenElseZero(doubled, set<V>(0x1.abc9e3b39803fp-56));
  const Exact<V> sum = exact_sum(y.rounded, ln2);
  const V lost = hn::Add(y.lost, hn::Div(u.lost, u.rounded));
  return hn::Add(sum.rounded, hn::Add(sum.lost, hn::Add(lost, ln2_rest)));
}

// sqrt(x^2 + kSign).
template <int kSign, class V>
HWY_INLINE Exact<V> hyperbola(V x) {
  const Exact<V> square = exact_product(x, x);
  Exact<V> sum = any_sum(square.rounded, set<V>(kSign));
  sum.lost = hn::Add(sum.lost, square.lost);
  return root(sum);
}

// From here on x + sqrt(x^2 + 1) and x + sqrt(x^2 - 1) are 2 x, and below x^2 does not overflow.
inline constexpr double kLine = 0x1p29;

// By the logarithm, or below 0.35 by 2 atanh(x / (1 + sqrt(x^2 + 1))).
struct Asinh {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const V size = hn::Abs(x);
    const auto line = hn::Gt(size, set<V>(kLine));
    const V kept = at_most(size, kLine);
    const Exact<V> side = hyperbola<1>(kept);
    Exact<V> bottom = exact_sum(side.rounded, set<V>(1));
    bottom.lost = hn::Add(bottom.lost, side.lost);
    const Exact<V> half = divide({kept, hn::Zero(hn::DFromV<V>())}, bottom);
    const V half_near = atanh_near(half);
    const V near = hn::Add(half_near, half_near);
    Exact<V> sum = exact_sum(side.rounded, kept);
    sum.lost = hn::IfThenElseZero(hn::Not(line), hn::Add(sum.lost, side.lost));
    sum.rounded = hn::IfThenElse(line, size, sum.rounded);
    V y = hn::IfThenElse(hn::Lt(size, set<V>(0.35)), near, log_of_sum(sum, line));
    y = hn::IfThenElse(hn::Lt(size, set<V>(0x1p-27)), size, y);
    const auto finite = hn::Lt(size, set<V>(std::numeric_limits<double>::infinity()));
    return hn::CopySign(hn::IfThenElse(finite, y, size), x);
  }
};

struct Acosh {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const auto line = hn::Gt(x, set<V>(kLine));
    const V kept = at_least(at_most(x, kLine), 1.0);
    const Exact<V> side = hyperbola<-1>(kept);
    Exact<V> sum = exact_sum(kept, side.rounded);
    sum.lost = hn::IfThenElseZero(hn::Not(line), hn::Add(sum.lost, side.lost));
    sum.rounded = hn::IfThenElse(line, x, sum.rounded);
    const V y = log_of_sum(sum, line);
    const auto finite = hn::Lt(x, set<V>(std::numeric_limits<double>::infinity()));
    const V nan = set<V>(std::numeric_limits<double>::quiet_NaN());
    return hn::IfThenElse(hn::Lt(x, set<V>(1)), nan, hn::IfThenElse(finite, y, x));
  }
};

// By half the logarithm of (1 + x) / (1 - x), or as it stands where x is small.
struct Atanh {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const V one = set<V>(1);
    const V zero = hn::Zero(hn::DFromV<V>());
    const V infinity = set<V>(std::numeric_limits<double>::infinity());
    const V size = hn::Abs(x);
    const auto inside = hn::Lt(size, one);
    const V kept = hn::IfThenElseZero(inside, size);
    const Exact<V> q = divide(exact_sum(one, kept), exact_sum(one, hn::Neg(kept)));
    const V twice = log_of_sum(exact_sum(q.rounded, q.lost), hn::Lt(one, zero));
    const V far = hn::Mul(twice, set<V>(0.5));
    const auto is_near = hn::Lt(size, set<V>(0.1715));
    const V y = hn::IfThenElse(is_near, atanh_near(Exact<V>{kept, zero}), far);
    const V nan = set<V>(std::numeric_limits<double>::quiet_NaN());
    const V outside = hn::IfThenElse(hn::Eq(size, one), infinity, nan);
    return hn::CopySign(hn::IfThenElse(inside, y, outside), x);
  }
};

}  // namespace full
namespace wide {

struct Asinh {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const V size = hn::Abs(x);
    const V square = hn::Mul(size, size);
    const V one = set<V>(1);
    const V bottom = hn::Add(one, hn::Sqrt(hn::Add(one, square)));
    const V above = hn::Add(size, hn::Div(square, bottom));
    const auto finite = hn::Lt(size, set<V>(std::numeric_limits<double>::infinity()));
    return hn::CopySign(Log1p()(hn::IfThenElse(finite, above, size)), x);
  }
};
struct Acosh {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const V one = set<V>(1);
    const V above = hn::Sub(x, one);
    const V y = Log1p()(hn::Add(above, hn::Sqrt(hn::Mul(above, hn::Add(x, one)))));
    const V nan = set<V>(std::numeric_limits<double>::quiet_NaN());
    return hn::IfThenElse(hn::Lt(x, one), nan, y);
  }
};
struct Atanh {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const V size = hn::Abs(x);
    const V above = hn::Div(hn::Add(size, size), hn::Sub(set<V>(1), size));
    return hn::CopySign(hn::Mul(Log1p()(above), set<V>(0.5)), x);
  }
};

}  // namespace wide

using Sinh = Both<wide::Sinh, full::Sinh>;
using Cosh = Both<wide::Cosh, full::Cosh>;
using Asinh = Both<wide::Asinh, full::Asinh>;
using Acosh = Both<wide::Acosh, full::Acosh>;
using Atanh = Both<wide::Atanh, full::Atanh>;

}  // namespace math
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_MATH_HYPERBOLIC_INL_H
