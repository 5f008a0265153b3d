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

enum Attr : uint32_t { kBeta1, kBeta2, kEps, kWeightDecay, kAttrs };

template <class C, bool decoupled>
struct Update {
  static constexpr size_t kStates = 2;

  explicit Update(const optim::Step& s)
      : beta1(static_cast<C>(s.attr(kBeta1))),
        taken1(static_cast<C>(1 - s.attr(kBeta1))),
        beta2(static_cast<C>(s.attr(kBeta2))),
        taken2(static_cast<C>(1 - s.attr(kBeta2))),
        eps(static_cast<C>(s.attr(kEps))),
        inverse_root(static_cast<C>(1 / std::sqrt(1 - optim::power(s.attr(kBeta2), s.t)))),
        minus_step(static_cast<C>(-(s.lr / (1 - optim::power(s.attr(kBeta1), s.t))))),
        decays(s.attr(kWeightDecay) != 0),
        decay(static_cast<C>(decoupled ? 1 - s.lr * s.attr(kWeightDecay) : s.attr(kWeightDecay))) {}

  template <class D, class V>
  HWY_INLINE void operator()(D d, V& p, V g, V* means) const {
    if (decays && decoupled) p = hn::Mul(hn::Set(d, decay), p);
    if (decays && !decoupled) g = hn::Add(g, hn::Mul(hn::Set(d, decay), p));
    V& m = means[0];
    V& v = means[1];
    m = hn::Add(hn::Mul(hn::Set(d, beta1), m), hn::Mul(hn::Set(d, taken1), g));
    v = hn::Add(hn::Mul(hn::Set(d, beta2), v), hn::Mul(hn::Mul(hn::Set(d, taken2), g), g));
    const V slope = hn::Add(hn::Mul(hn::Sqrt(v), hn::Set(d, inverse_root)), hn::Set(d, eps));
    p = hn::Add(p, hn::Div(hn::Mul(hn::Set(d, minus_step), m), slope));
  }

  C beta1;
  C taken1;
  C beta2;
  C taken2;
  C eps;
  C inverse_root;
  C minus_step;
  bool decays;
  C decay;
};

template <class C>
using Adam = Update<C, false>;
template <class C>
using AdamW = Update<C, true>;

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<2>("tenon.adam_step", kAttrs, sdk::launch_fn<optim::step<2, Adam>>),
    optim::kernel<2>("tenon.adamw_step", kAttrs, sdk::launch_fn<optim::step<2, AdamW>>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> optim_adam_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(optim_adam) = {.chosen_kernels = TENON_CPU_CHOOSE(optim_adam_kernels)};
#endif
