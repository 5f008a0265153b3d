// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/optim_sgd.cu: sgd_step, sgd_rows. Formulas: plugins/optim/sgd.cc.
#include "optim.h"

namespace tenon::cuda::optim_sgd_unit {
namespace {

enum Attr : uint32_t { kMomentum, kDampening, kWeightDecay, kNesterov, kAttrs };

// Without momentum the buffer is not read or written.
template <class C>
struct Sgd {
  static constexpr int kStates = 1;

  __device__ explicit Sgd(const optim::Step& s)
      : minus_lr(static_cast<C>(-s.lr)),
        weight_decay(static_cast<C>(s.attr[kWeightDecay])),
        momentum(static_cast<C>(s.attr[kMomentum])),
        taken(static_cast<C>(1 - s.attr[kDampening])),
        has_momentum(s.attr[kMomentum] != 0),
        first(s.t == 1),
        nesterov(s.attr[kNesterov] != 0) {}

  __device__ bool uses(int) const { return has_momentum; }
  __device__ void operator()(C& p, C g, C (&buffer)[1]) const {
    C d = weight_decay != 0 ? g + weight_decay * p : g;
    if (has_momentum) {
      buffer[0] = first ? d : momentum * buffer[0] + taken * d;
      d = nesterov ? d + momentum * buffer[0] : buffer[0];
    }
    p = p + minus_lr * d;
  }

  C minus_lr;
  C weight_decay;
  C momentum;
  C taken;
  bool has_momentum;
  bool first;
  bool nesterov;
};

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<false, 1, Sgd>("tenon.sgd_step", kAttrs),
    optim::kernel<true, 1, Sgd>("tenon.sgd_rows", kAttrs),
};

}  // namespace
}  // namespace tenon::cuda::optim_sgd_unit

TENON_UNIT(optim_sgd) = {.kernels = tenon::cuda::optim_sgd_unit::kernels};
