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

enum Attr : uint32_t { kBeta1, kBeta2, kEps, kWeightDecay, kMomentumDecay, kDecoupled, kAttrs };

// The product of the betas of all steps so far is a state, too, a number for each parameter.
constexpr uint32_t kLists = 3;
constexpr uint32_t kProduct = 2;

double exp(double x) {
  const hn::ScalableTag<double> d;
  return hn::GetLane(math::Exp()(hn::Set(d, x)));
}

// beta1 of step `i`
double beta1_of(const optim::Step& s, int64_t i) {
  const double faded = exp(static_cast<double>(i) * s.attr(kMomentumDecay) * std::log(0.96));
  return (1 - faded * 0.5) * s.attr(kBeta1);
}

template <class C>
struct Nadam {
  static constexpr size_t kStates = 2;

  explicit Nadam(const optim::Step& s)
      : beta1(static_cast<C>(s.attr(kBeta1))),
        taken1(static_cast<C>(1 - s.attr(kBeta1))),
        beta2(static_cast<C>(s.attr(kBeta2))),
        taken2(static_cast<C>(1 - s.attr(kBeta2))),
        eps(static_cast<C>(s.attr(kEps))),
        correction(static_cast<C>(1 - optim::power(s.attr(kBeta2), s.t))),
        decays(s.attr(kWeightDecay) != 0),
        decoupled(s.launch.attrs.flag(kDecoupled)),
        decay(static_cast<C>(decoupled ? 1 - s.lr * s.attr(kWeightDecay) : s.attr(kWeightDecay))) {
    const double now = beta1_of(s, s.t), next = beta1_of(s, s.t + 1);
    void* const state =
        s.launch.view(sdk::StepSlots<false, kLists>::kStates + kProduct, s.item).data;
    const double product = sdk::load<double>(state) * now;
    sdk::store(state, product);
    of_g = static_cast<C>(-s.lr * (1 - now) / (1 - product));
    of_m = static_cast<C>(-s.lr * next / (1 - product * next));
  }

  template <class D, class V>
  HWY_INLINE void operator()(D d, V& p, V g, V* means) const {
    if (decays && !decoupled) g = hn::Add(g, hn::Mul(hn::Set(d, decay), p));
    V& m = means[0];
    V& v = means[1];
    m = hn::Add(hn::Mul(hn::Set(d, beta1), m), hn::Mul(hn::Set(d, taken1), g));
    v = hn::Add(hn::Mul(hn::Set(d, beta2), v), hn::Mul(hn::Mul(hn::Set(d, taken2), g), g));
    const V root = hn::Add(hn::Sqrt(hn::Div(v, hn::Set(d, correction))), hn::Set(d, eps));
    if (decays && decoupled) p = hn::Mul(hn::Set(d, decay), p);
    p = hn::Add(p, hn::Div(hn::Mul(hn::Set(d, of_g), g), root));
    p = hn::Add(p, hn::Div(hn::Mul(hn::Set(d, of_m), m), root));
  }

  C beta1;
  C taken1;
  C beta2;
  C taken2;
  C eps;
  C correction;
  bool decays;
  bool decoupled;
  C decay;
  C of_g = 0;
  C of_m = 0;
};

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<3>("tenon.nadam_step", kAttrs, sdk::launch_fn<optim::step<kLists, Nadam>>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> optim_nadam_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(optim_nadam) = {.chosen_kernels = TENON_CPU_CHOOSE(optim_nadam_kernels)};
#endif
