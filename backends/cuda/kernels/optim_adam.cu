// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/optim_adam.cu: adam_step, adam_rows, adamw_step, adamw_rows.
// Formulas: plugins/optim/adam.cc and plugins/optim/adamw.cc.
//
// An f32 parameter moves 28 bytes an element: four operands read, three written.
#include "optim.h"

namespace tenon::cuda::optim_adam_unit {
namespace {

enum Attr : uint32_t { kBeta1, kBeta2, kEps, kWeightDecay, kAttrs };

template <class C, bool decoupled>
struct Update {
  static constexpr int kStates = 2;

  __device__ explicit Update(const optim::Step& s)
      : beta1(static_cast<C>(s.attr[kBeta1])),
        taken1(static_cast<C>(1 - s.attr[kBeta1])),
        beta2(static_cast<C>(s.attr[kBeta2])),
        taken2(static_cast<C>(1 - s.attr[kBeta2])),
        eps(static_cast<C>(s.attr[kEps])),
        inverse_root(static_cast<C>(1 / std::sqrt(1 - optim::power(s.attr[kBeta2], s.t)))),
        minus_step(static_cast<C>(-(s.lr / (1 - optim::power(s.attr[kBeta1], s.t))))),
        decay(static_cast<C>(decoupled ? 1 - s.lr * s.attr[kWeightDecay] : s.attr[kWeightDecay])),
        decays(s.attr[kWeightDecay] != 0) {}

  __device__ bool uses(int) const { return true; }
  __device__ void operator()(C& p, C g, C (&means)[2]) const {
    if (decays && decoupled) p = decay * p;
    if (decays && !decoupled) g = g + decay * p;
    C& m = means[0];
    C& v = means[1];
    m = beta1 * m + taken1 * g;
    v = beta2 * v + taken2 * g * g;
    p = p + minus_step * m / (std::sqrt(v) * inverse_root + eps);
  }

  C beta1;
  C taken1;
  C beta2;
  C taken2;
  C eps;
  C inverse_root;
  C minus_step;
  C decay;
  bool decays;
};

template <class C>
using Adam = Update<C, false>;
template <class C>
using AdamW = Update<C, true>;

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<false, 2, Adam>("tenon.adam_step", kAttrs),
    optim::kernel<true, 2, Adam>("tenon.adam_rows", kAttrs),
    optim::kernel<false, 2, AdamW>("tenon.adamw_step", kAttrs),
    optim::kernel<true, 2, AdamW>("tenon.adamw_rows", kAttrs),
};

}  // namespace
}  // namespace tenon::cuda::optim_adam_unit

TENON_UNIT(optim_adam) = {.kernels = tenon::cuda::optim_adam_unit::kernels};
