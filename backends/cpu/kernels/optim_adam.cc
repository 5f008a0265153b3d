// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/optim_adam.cc: adam_step, adamw_step: parameter, gradient and both means are
// read once and written once. Formulas and arithmetic: plugins/optim/adam.cc, adamw.cc.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/optim_adam.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;

template <class C, bool decoupled>
struct Update {
  static constexpr size_t kStates = 2;

  explicit Update(const sdk::Step& step) : k(step, decoupled) {}

  template <class D, class V>
  HWY_INLINE void operator()(D d, V& p, V g, V* means) const {
    if (k.decays && decoupled) p = hn::Mul(hn::Set(d, k.decay), p);
    if (k.decays && !decoupled) g = hn::Add(g, hn::Mul(hn::Set(d, k.decay), p));
    V& m = means[0];
    V& v = means[1];
    m = hn::Add(hn::Mul(hn::Set(d, k.beta1), m), hn::Mul(hn::Set(d, k.taken1), g));
    v = hn::Add(hn::Mul(hn::Set(d, k.beta2), v), hn::Mul(hn::Mul(hn::Set(d, k.taken2), g), g));
    const V slope = hn::Add(hn::Mul(hn::Sqrt(v), hn::Set(d, k.inverse_root)), hn::Set(d, k.eps));
    p = hn::Add(p, hn::Div(hn::Mul(hn::Set(d, k.minus_step), m), slope));
  }

  sdk::AdamScalars<C> k;
};

template <class C>
using Adam = Update<C, false>;
template <class C>
using AdamW = Update<C, true>;

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<2>("tenon.adam_step", sdk::AdamAttr::kAttrs,
                     sdk::launch_fn<optim::step<2, Adam>>),
    optim::kernel<2>("tenon.adamw_step", sdk::AdamAttr::kAttrs,
                     sdk::launch_fn<optim::step<2, AdamW>>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> optim_adam_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(optim_adam) = {.chosen_kernels = TENON_CPU_CHOOSE(optim_adam_kernels)};
#endif
