// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/optim_nadam.cu: nadam_step. Formulas: plugins/optim/nadam.cc.
#include "optim.h"

namespace tenon::cuda::optim_nadam_unit {
namespace {

struct Exp {
  __device__ double operator()(double x) const { return std::exp(x); }
};

// The product of the shares of all steps so far is a state, too, a number for each parameter.
template <class C>
struct Nadam {
  static constexpr int kStates = 2;

  __device__ explicit Nadam(const optim::Step& step) : k(step, *step.product, Exp()) {}

  __device__ bool uses(int) const { return true; }
  __device__ void operator()(C& p, C g, C (&means)[2]) const {
    if (k.decays && !k.decoupled) g = g + k.decay * p;
    C& m = means[0];
    C& v = means[1];
    m = k.beta1 * m + k.taken1 * g;
    v = k.beta2 * v + k.taken2 * g * g;
    const C root = std::sqrt(v / k.correction) + k.eps;
    if (k.decays && k.decoupled) p = k.decay * p;
    p = p + k.of_g * g / root;
    p = p + k.of_m * m / root;
  }

  sdk::NadamScalars<C> k;
};

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<false, 3, Nadam>("tenon.nadam_step", sdk::NadamAttr::kAttrs),
};

}  // namespace
}  // namespace tenon::cuda::optim_nadam_unit

TENON_UNIT(optim_nadam) = {.kernels = tenon::cuda::optim_nadam_unit::kernels};
