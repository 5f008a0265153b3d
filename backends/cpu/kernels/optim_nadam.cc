// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/optim_nadam.cc: nadam_step: parameter, gradient and both means are read
// once and written once.
// Formulas and arithmetic: plugins/optim/nadam.cc.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/optim_nadam.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;

// The product of the shares of all steps so far is a state, too, a number for each parameter.
constexpr uint32_t kLists = 3;
constexpr uint32_t kProduct = 2;

double exp(double x) {
  const hn::ScalableTag<double> d;
  return hn::GetLane(math::Exp()(hn::Set(d, x)));
}

template <class C>
struct Nadam {
  static constexpr size_t kStates = 2;

  explicit Nadam(const sdk::Step& step) : k(scalars(step)) {}

  static sdk::NadamScalars<C> scalars(const sdk::Step& step) {
    void* const state =
        step.launch.view(sdk::StepSlots<false, kLists>::kStates + kProduct, step.item).data;
    double product = sdk::load<double>(state);
    const sdk::NadamScalars<C> made(step, product, exp);
    sdk::store(state, product);
    return made;
  }

  template <class D, class V>
  HWY_INLINE void operator()(D d, V& p, V g, V* means) const {
    if (k.decays && !k.decoupled) g = hn::Add(g, hn::Mul(hn::Set(d, k.decay), p));
    V& m = means[0];
    V& v = means[1];
    m = hn::Add(hn::Mul(hn::Set(d, k.beta1), m), hn::Mul(hn::Set(d, k.taken1), g));
    v = hn::Add(hn::Mul(hn::Set(d, k.beta2), v), hn::Mul(hn::Mul(hn::Set(d, k.taken2), g), g));
    const V root = hn::Add(hn::Sqrt(hn::Div(v, hn::Set(d, k.correction))), hn::Set(d, k.eps));
    if (k.decays && k.decoupled) p = hn::Mul(hn::Set(d, k.decay), p);
    p = hn::Add(p, hn::Div(hn::Mul(hn::Set(d, k.of_g), g), root));
    p = hn::Add(p, hn::Div(hn::Mul(hn::Set(d, k.of_m), m), root));
  }

  sdk::NadamScalars<C> k;
};

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<3>("tenon.nadam_step", sdk::NadamAttr::kAttrs,
                     sdk::launch_fn<optim::step<kLists, Nadam>>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> optim_nadam_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(optim_nadam) = {.chosen_kernels = TENON_CPU_CHOOSE(optim_nadam_kernels)};
#endif
