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

template <class C>
struct Lion {
  static constexpr size_t kStates = 1;

  explicit Lion(const sdk::Step& step) : k(step) {}

  template <class D, class V>
  HWY_INLINE void operator()(D d, V& p, V g, V* mean) const {
    const V mixed = weighted(d, k.beta1, mean[0], k.taken1, g);
    mean[0] = weighted(d, k.beta2, mean[0], k.taken2, g);
    if (k.decays) p = hn::Mul(hn::Set(d, k.kept), p);
    p = hn::Add(p, hn::Mul(sign(d, mixed), hn::Set(d, k.minus_lr)));
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

  sdk::LionScalars<C> k;
};

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<1>("tenon.lion_step", sdk::LionAttr::kAttrs,
                     sdk::launch_fn<optim::step<1, Lion>>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> optim_lion_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(optim_lion) = {.chosen_kernels = TENON_CPU_CHOOSE(optim_lion_kernels)};
#endif
