// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/math_powers-inl.h: exp2, log2 and log10 of f32 and f64 vectors.
//
// exp2 is within 1 ULP; log2 and log10 are within 0.51, f32 computed in f64 and rounded once. All
// f64 on samples. Powers of 2 and 10 are exact. Corners are as in C, the bits the same on all
// targets.

#if defined(TENON_CPU_MATH_POWERS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_MATH_POWERS_INL_H
#undef TENON_CPU_MATH_POWERS_INL_H
#else
#define TENON_CPU_MATH_POWERS_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/math_both-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace math {

// 2^x = 2^n exp(r ln2), |r| up to a half, and r ln2 to more digits than it has.
struct Exp2 {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    constexpr bool kShort = sizeof(Lane<V>) == 4;
    constexpr auto kLn2 = static_cast<Lane<V>>(kShort ? 0x1.62e43p-1 : 0x1.62e42fefa39efp-1);
    constexpr auto kRest = static_cast<Lane<V>>(kShort ? -0x1.05c61p-29 : 0x1.abc9e3b39803fp-56);
    const V kept =
        at_most(at_least(x, Lane<V>(kShort ? -150 : -1075)), Lane<V>(kShort ? 128 : 1024));
    Reduced<V> at;
    at.magic = hn::Add(kept, set<V>(Of<Lane<V>>::round));
    at.n = hn::Sub(at.magic, set<V>(Of<Lane<V>>::round));
    at.r = hn::Sub(kept, at.n);
    const Exact<V> power = exact_product(at.r, set<V>(kLn2));
    const V lost = hn::MulAdd(at.r, set<V>(kRest), power.lost);
    const Parts<V> p = long_exp(power.rounded);
    const V small = hn::MulAdd(lost, hn::Add(p.large, p.small), p.small);
    return scale(hn::Add(p.large, small), at);
  }
};

namespace full {

struct Log2 {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const Logarithm<V> at = split_log(x);
    const Exact<V> part =
        product(at.part, {set<V>(0x1.71547652b82fep+0), set<V>(0x1.777d0ffda0d24p-56)});
    const Exact<V> sum = exact_sum(at.n, part.rounded);
    return log_domain(x, hn::Add(sum.rounded, hn::Add(sum.lost, part.lost)));
  }
};
struct Log10 {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    const Exact<V> y =
        product(long_log(x), {set<V>(0x1.bcb7b1526e50ep-2), set<V>(0x1.95355baaafad3p-57)});
    return log_domain(x, hn::Add(y.rounded, y.lost));
  }
};

}  // namespace full
namespace wide {

struct Log2 {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    return log_domain(x, log2_wide(x));
  }
};
struct Log10 {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    return log_domain(x, hn::Mul(log2_wide(x), set<V>(0x1.34413509f79ffp-2)));
  }
};

}  // namespace wide

using Log2 = Both<wide::Log2, full::Log2>;
using Log10 = Both<wide::Log10, full::Log10>;

}  // namespace math
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_MATH_POWERS_INL_H
