// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/optim_sgd.cc: sgd_step, sgd_rows. Formulas: plugins/optim/sgd.cc.

#include "kernels/optim.h"

namespace tenon::ref {
namespace {

template <class C>
struct Plain {
  static constexpr size_t kStates = 0;

  explicit Plain(const sdk::Step& step) : k(step) {}

  void operator()(C& p, C g, std::array<C, 0>&) const { p = p + k.minus_lr * direction(p, g); }
  C direction(C p, C g) const { return k.weight_decay != 0 ? g + k.weight_decay * p : g; }

  sdk::SgdScalars<C> k;
};

template <class C>
struct Momentum : Plain<C> {
  static constexpr size_t kStates = 1;
  using Plain<C>::Plain;
  using Plain<C>::k;

  void operator()(C& p, C g, std::array<C, 1>& buffer) const {
    const C d = this->direction(p, g);
    buffer[0] = k.first ? d : k.momentum * buffer[0] + k.taken * d;
    p = p + k.minus_lr * (k.nesterov ? d + k.momentum * buffer[0] : buffer[0]);
  }
};

template <bool rows>
void sgd(const sdk::Launch& l) {
  // Without momentum the buffer is not read or written.
  if (l.attrs.real(sdk::SgdAttr::kMomentum) == 0) {
    optim::step<rows, 1, Plain>(l);
  } else {
    optim::step<rows, 1, Momentum>(l);
  }
}

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<false, 1>("tenon.sgd_step", sdk::SgdAttr::kAttrs, sdk::launch_fn<sgd<false>>),
    optim::kernel<true, 1>("tenon.sgd_rows", sdk::SgdAttr::kAttrs, sdk::launch_fn<sgd<true>>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(optim_sgd) = {.kernels = tenon::ref::kernels};
