// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/optim_sgd.cu: sgd_step, sgd_rows. Formulas: plugins/optim/sgd.cc.
#include "optim.h"

namespace tenon::cuda::optim_sgd_unit {
namespace {

// Without momentum the buffer is not read or written.
template <class C>
struct Sgd {
  static constexpr int kStates = 1;

  __device__ explicit Sgd(const optim::Step& step) : k(step) {}

  __device__ bool uses(int) const { return k.has_momentum; }
  __device__ void operator()(C& p, C g, C (&buffer)[1]) const {
    C d = k.weight_decay != 0 ? g + k.weight_decay * p : g;
    if (k.has_momentum) {
      buffer[0] = k.first ? d : k.momentum * buffer[0] + k.taken * d;
      d = k.nesterov ? d + k.momentum * buffer[0] : buffer[0];
    }
    p = p + k.minus_lr * d;
  }

  sdk::SgdScalars<C> k;
};

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<false, 1, Sgd>("tenon.sgd_step", sdk::SgdAttr::kAttrs),
    optim::kernel<true, 1, Sgd>("tenon.sgd_rows", sdk::SgdAttr::kAttrs),
};

}  // namespace
}  // namespace tenon::cuda::optim_sgd_unit

TENON_UNIT(optim_sgd) = {.kernels = tenon::cuda::optim_sgd_unit::kernels};
