// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/optim_lion.cu: lion_step. Formulas: plugins/optim/lion.cc.
#include "optim.h"

namespace tenon::cuda::optim_lion_unit {
namespace {

enum Attr : uint32_t { kBeta1, kBeta2, kWeightDecay, kAttrs };

template <class C>
struct Lion {
  static constexpr int kStates = 1;

  __device__ explicit Lion(const optim::Step& s)
      : beta1(static_cast<C>(s.attr[kBeta1])),
        taken1(static_cast<C>(1 - s.attr[kBeta1])),
        beta2(static_cast<C>(s.attr[kBeta2])),
        taken2(static_cast<C>(1 - s.attr[kBeta2])),
        kept(static_cast<C>(1 - s.lr * s.attr[kWeightDecay])),
        minus_lr(static_cast<C>(-s.lr)),
        decays(s.attr[kWeightDecay] != 0) {}

  __device__ bool uses(int) const { return true; }
  __device__ void operator()(C& p, C g, C (&mean)[1]) const {
    const C mixed = beta1 * mean[0] + taken1 * g;
    mean[0] = beta2 * mean[0] + taken2 * g;
    if (decays) p = kept * p;
    // The signs of a zero and of NaN are themselves.
    const C sign = mixed > 0 ? C{1} : mixed < 0 ? C{-1} : mixed;
    p = p + sign * minus_lr;
  }

  C beta1;
  C taken1;
  C beta2;
  C taken2;
  C kept;
  C minus_lr;
  bool decays;
};

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<false, 1, Lion>("tenon.lion_step", kAttrs),
};

}  // namespace
}  // namespace tenon::cuda::optim_lion_unit

TENON_UNIT(optim_lion) = {.kernels = tenon::cuda::optim_lion_unit::kernels};
