// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/optim_lion.cu: lion_step. Formulas: plugins/optim/lion.cc.
#include "optim.h"

namespace tenon::cuda::optim_lion_unit {
namespace {

template <class C>
struct Lion {
  static constexpr int kStates = 1;

  __device__ explicit Lion(const optim::Step& step) : k(step) {}

  __device__ bool uses(int) const { return true; }
  __device__ void operator()(C& p, C g, C (&mean)[1]) const {
    const C mixed = k.beta1 * mean[0] + k.taken1 * g;
    mean[0] = k.beta2 * mean[0] + k.taken2 * g;
    if (k.decays) p = k.kept * p;
    // The signs of a zero and of NaN are themselves.
    const C sign = mixed > 0 ? C{1} : mixed < 0 ? C{-1} : mixed;
    p = p + sign * k.minus_lr;
  }

  sdk::LionScalars<C> k;
};

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<false, 1, Lion>("tenon.lion_step", sdk::LionAttr::kAttrs),
};

}  // namespace
}  // namespace tenon::cuda::optim_lion_unit

TENON_UNIT(optim_lion) = {.kernels = tenon::cuda::optim_lion_unit::kernels};
