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

template <class C>
struct Adadelta {
  static constexpr size_t kStates = 2;

  explicit Adadelta(const sdk::Step& step) : k(step) {}

  template <class D, class V>
  HWY_INLINE void operator()(D d, V& p, V g, V* means) const {
    if (k.weight_decay != 0) g = hn::Add(g, hn::Mul(hn::Set(d, k.weight_decay), p));
    means[0] = mean(d, means[0], g);
    const V below = hn::Sqrt(hn::Add(means[0], hn::Set(d, k.eps)));
    const V above = hn::Sqrt(hn::Add(means[1], hn::Set(d, k.eps)));
    const V change = hn::Mul(hn::Div(above, below), g);
    means[1] = mean(d, means[1], change);
    p = hn::Add(p, hn::Mul(change, hn::Set(d, k.minus_lr)));
  }
  // Of squares.
  template <class D, class V>
  HWY_INLINE V mean(D d, V before, V x) const {
    return hn::Add(hn::Mul(hn::Set(d, k.rho), before), hn::Mul(hn::Mul(hn::Set(d, k.taken), x), x));
  }

  sdk::AdadeltaScalars<C> k;
};

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<2>("tenon.adadelta_step", sdk::AdadeltaAttr::kAttrs,
                     sdk::launch_fn<optim::step<2, Adadelta>>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> optim_adadelta_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(optim_adadelta) = {.chosen_kernels = TENON_CPU_CHOOSE(optim_adadelta_kernels)};
#endif
