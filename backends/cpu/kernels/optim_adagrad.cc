// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/optim_adagrad.cc: adagrad_step: parameter, gradient and sum are read
// once, parameter and sum written once.
// Formulas and arithmetic: plugins/optim/adagrad.cc.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/optim_adagrad.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;

template <class C>
struct Adagrad {
  static constexpr size_t kStates = 1;

  explicit Adagrad(const sdk::Step& step) : k(step) {}

  template <class D, class V>
  HWY_INLINE void operator()(D d, V& p, V g, V* sum) const {
    if (k.weight_decay != 0) g = hn::Add(g, hn::Mul(hn::Set(d, k.weight_decay), p));
    sum[0] = hn::Add(sum[0], hn::Mul(g, g));
    const V root = hn::Add(hn::Sqrt(sum[0]), hn::Set(d, k.eps));
    p = hn::Add(p, hn::Div(hn::Mul(hn::Set(d, k.minus_lr), g), root));
  }

  sdk::AdagradScalars<C> k;
};

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<1>("tenon.adagrad_step", sdk::AdagradAttr::kAttrs,
                     sdk::launch_fn<optim::step<1, Adagrad>>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> optim_adagrad_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(optim_adagrad) = {.chosen_kernels = TENON_CPU_CHOOSE(optim_adagrad_kernels)};
#endif
