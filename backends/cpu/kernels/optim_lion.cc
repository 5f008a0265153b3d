// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/optim_lion.cc: lion_step: parameter, gradient and mean are read once,
// parameter and mean written once.
// Formulas and arithmetic: plugins/optim/lion.cc.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/optim_lion.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;

enum Attr : uint32_t { kBeta1, kBeta2, kWeightDecay, kAttrs };

template <class C>
struct Lion {
  static constexpr size_t kStates = 1;

  explicit Lion(const optim::Step& s)
      : beta1(static_cast<C>(s.attr(kBeta1))),
        taken1(static_cast<C>(1 - s.attr(kBeta1))),
        beta2(static_cast<C>(s.attr(kBeta2))),
        taken2(static_cast<C>(1 - s.attr(kBeta2))),
        decays(s.attr(kWeightDecay) != 0),
        kept(static_cast<C>(1 - s.lr * s.attr(kWeightDecay))),
        minus_lr(static_cast<C>(-s.lr)) {}

  template <class D, class V>
  HWY_INLINE void operator()(D d, V& p, V g, V* mean) const {
    const V mixed = weighted(d, beta1, mean[0], taken1, g);
    mean[0] = weighted(d, beta2, mean[0], taken2, g);
    if (decays) p = hn::Mul(hn::Set(d, kept), p);
    p = hn::Add(p, hn::Mul(sign(d, mixed), hn::Set(d, minus_lr)));
  }
  template <class D, class V>
  HWY_INLINE static V weighted(D d, C a, V x, C b, V y) {
    return hn::Add(hn::Mul(hn::Set(d, a), x), hn::Mul(hn::Set(d, b), y));
  }
  // A zero and NaN are their own.
  template <class D, class V>
  HWY_INLINE static V sign(D d, V x) {
    const auto has_sign = hn::Or(hn::Lt(x, hn::Zero(d)), hn::Gt(x, hn::Zero(d)));
    return hn::IfThenElse(has_sign, hn::CopySign(hn::Set(d, C{1}), x), x);
  }

  C beta1;
  C taken1;
  C beta2;
  C taken2;
  bool decays;
  C kept;
  C minus_lr;
};

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<1>("tenon.lion_step", kAttrs, sdk::launch_fn<optim::step<1, Lion>>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> optim_lion_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(optim_lion) = {.chosen_kernels = TENON_CPU_CHOOSE(optim_lion_kernels)};
#endif
