// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/optim_sgd.cc: sgd_step, sgd_rows. Formulas: plugins/optim/sgd.cc.

#include "kernels/optim.h"

namespace tenon::ref {
namespace {

enum Attr : uint32_t { kMomentum, kDampening, kWeightDecay, kNesterov, kAttrs };

template <class C>
struct Plain {
  static constexpr size_t kStates = 0;

  Plain(const sdk::Attrs& attrs, double lr, int64_t)
      : minus_lr(static_cast<C>(-lr)), weight_decay(static_cast<C>(attrs.real(kWeightDecay))) {}

  void operator()(C& p, C g, std::array<C, 0>&) const { p = p + minus_lr * direction(p, g); }
  C direction(C p, C g) const { return weight_decay != 0 ? g + weight_decay * p : g; }

  C minus_lr;
  C weight_decay;
};

template <class C>
struct Momentum : Plain<C> {
  static constexpr size_t kStates = 1;

  Momentum(const sdk::Attrs& attrs, double lr, int64_t t)
      : Plain<C>(attrs, lr, t),
        momentum(static_cast<C>(attrs.real(kMomentum))),
        taken(static_cast<C>(1 - attrs.real(kDampening))),
        first(t == 1),
        nesterov(attrs.flag(kNesterov)) {}

  void operator()(C& p, C g, std::array<C, 1>& buffer) const {
    const C d = this->direction(p, g);
    buffer[0] = first ? d : momentum * buffer[0] + taken * d;
    p = p + this->minus_lr * (nesterov ? d + momentum * buffer[0] : buffer[0]);
  }

  C momentum;
  C taken;
  bool first;
  bool nesterov;
};

template <bool rows>
void sgd(const sdk::Launch& l) {
  // Without momentum the buffer is not read or written.
  if (l.attrs.real(kMomentum) == 0) {
    optim::step<rows, 1, Plain>(l);
  } else {
    optim::step<rows, 1, Momentum>(l);
  }
}

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<false, 1>("tenon.sgd_step", kAttrs, sdk::launch_fn<sgd<false>>),
    optim::kernel<true, 1>("tenon.sgd_rows", kAttrs, sdk::launch_fn<sgd<true>>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(optim_sgd) = {.kernels = tenon::ref::kernels};
