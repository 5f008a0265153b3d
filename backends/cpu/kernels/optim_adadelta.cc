// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/optim_adadelta.cc: adadelta_step: parameter, gradient and both means are
// read once and written once.
// Formulas and arithmetic: plugins/optim/adadelta.cc.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/optim_adadelta.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;

enum Attr : uint32_t { kRho, kEps, kWeightDecay, kAttrs };

template <class C>
struct Adadelta {
  static constexpr size_t kStates = 2;

  explicit Adadelta(const optim::Step& s)
      : rho(static_cast<C>(s.attr(kRho))),
        taken(static_cast<C>(1 - s.attr(kRho))),
        eps(static_cast<C>(s.attr(kEps))),
        weight_decay(static_cast<C>(s.attr(kWeightDecay))),
        minus_lr(static_cast<C>(-s.lr)) {}

  template <class D, class V>
  HWY_INLINE void operator()(D d, V& p, V g, V* means) const {
    if (weight_decay != 0) g = hn::Add(g, hn::Mul(hn::Set(d, weight_decay), p));
    means[0] = mean(d, means[0], g);
    const V below = hn::Sqrt(hn::Add(means[0], hn::Set(d, eps)));
    const V above = hn::Sqrt(hn::Add(means[1], hn::Set(d, eps)));
    const V change = hn::Mul(hn::Div(above, below), g);
    means[1] = mean(d, means[1], change);
    p = hn::Add(p, hn::Mul(change, hn::Set(d, minus_lr)));
  }
  // Of squares.
  template <class D, class V>
  HWY_INLINE V mean(D d, V before, V x) const {
    return hn::Add(hn::Mul(hn::Set(d, rho), before), hn::Mul(hn::Mul(hn::Set(d, taken), x), x));
  }

  C rho;
  C taken;
  C eps;
  C weight_decay;
  C minus_lr;
};

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<2>("tenon.adadelta_step", kAttrs, sdk::launch_fn<optim::step<2, Adadelta>>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> optim_adadelta_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(optim_adadelta) = {.chosen_kernels = TENON_CPU_CHOOSE(optim_adadelta_kernels)};
#endif
