// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/optim_adam.cu: adam_step, adam_rows, adamw_step, adamw_rows.
// Formulas: plugins/optim/adam.cc and plugins/optim/adamw.cc.
//
// An f32 parameter moves 28 bytes an element: four operands read, three written.
#include "optim.h"

namespace tenon::cuda::optim_adam_unit {
namespace {

template <class C, bool decoupled>
struct Update {
  static constexpr int kStates = 2;

  __device__ explicit Update(const optim::Step& step) : k(step, decoupled) {}

  __device__ bool uses(int) const { return true; }
  __device__ void operator()(C& p, C g, C (&means)[2]) const {
    if (k.decays && decoupled) p = k.decay * p;
    if (k.decays && !decoupled) g = g + k.decay * p;
    C& m = means[0];
    C& v = means[1];
    m = k.beta1 * m + k.taken1 * g;
    v = k.beta2 * v + k.taken2 * g * g;
    p = p + k.minus_step * m / (std::sqrt(v) * k.inverse_root + k.eps);
  }

  sdk::AdamScalars<C> k;
};

template <class C>
using Adam = Update<C, false>;
template <class C>
using AdamW = Update<C, true>;

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<false, 2, Adam>("tenon.adam_step", sdk::AdamAttr::kAttrs),
    optim::kernel<true, 2, Adam>("tenon.adam_rows", sdk::AdamAttr::kAttrs),
    optim::kernel<false, 2, AdamW>("tenon.adamw_step", sdk::AdamAttr::kAttrs),
    optim::kernel<true, 2, AdamW>("tenon.adamw_rows", sdk::AdamAttr::kAttrs),
};

}  // namespace
}  // namespace tenon::cuda::optim_adam_unit

TENON_UNIT(optim_adam) = {.kernels = tenon::cuda::optim_adam_unit::kernels};
