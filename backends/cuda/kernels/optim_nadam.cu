// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/optim_nadam.cu: nadam_step. Formulas: plugins/optim/nadam.cc.
#include "optim.h"

namespace tenon::cuda::optim_nadam_unit {
namespace {

enum Attr : uint32_t { kBeta1, kBeta2, kEps, kWeightDecay, kMomentumDecay, kDecoupled, kAttrs };

// ln 0.96
constexpr double kFading = -0x1.4e69ed6d80eb3p-5;

// beta1 of step `i`
__device__ double beta1_of(const optim::Step& s, int64_t i) {
  const double faded = std::exp(static_cast<double>(i) * s.attr[kMomentumDecay] * kFading);
  return (1 - faded * 0.5) * s.attr[kBeta1];
}

// The product of the betas of all steps so far is a state, too, a number for each parameter.
template <class C>
struct Nadam {
  static constexpr int kStates = 2;

  __device__ explicit Nadam(const optim::Step& s)
      : beta1(static_cast<C>(s.attr[kBeta1])),
        taken1(static_cast<C>(1 - s.attr[kBeta1])),
        beta2(static_cast<C>(s.attr[kBeta2])),
        taken2(static_cast<C>(1 - s.attr[kBeta2])),
        eps(static_cast<C>(s.attr[kEps])),
        correction(static_cast<C>(1 - optim::power(s.attr[kBeta2], s.t))),
        decays(s.attr[kWeightDecay] != 0),
        decoupled(s.attr[kDecoupled] != 0),
        decay(static_cast<C>(decoupled ? 1 - s.lr * s.attr[kWeightDecay] : s.attr[kWeightDecay])) {
    const double now = beta1_of(s, s.t), next = beta1_of(s, s.t + 1);
    const double product = *s.product * now;
    *s.product = product;
    of_g = static_cast<C>(-s.lr * (1 - now) / (1 - product));
    of_m = static_cast<C>(-s.lr * next / (1 - product * next));
  }

  __device__ bool uses(int) const { return true; }
  __device__ void operator()(C& p, C g, C (&means)[2]) const {
    if (decays && !decoupled) g = g + decay * p;
    C& m = means[0];
    C& v = means[1];
    m = beta1 * m + taken1 * g;
    v = beta2 * v + taken2 * g * g;
    const C root = std::sqrt(v / correction) + eps;
    if (decays && decoupled) p = decay * p;
    p = p + of_g * g / root;
    p = p + of_m * m / root;
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
  C of_g;
  C of_m;
};

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<false, 3, Nadam>("tenon.nadam_step", kAttrs),
};

}  // namespace
}  // namespace tenon::cuda::optim_nadam_unit

TENON_UNIT(optim_nadam) = {.kernels = tenon::cuda::optim_nadam_unit::kernels};
