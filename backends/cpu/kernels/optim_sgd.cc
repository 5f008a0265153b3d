// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/optim_sgd.cc: sgd_step. Formulas and arithmetic: plugins/optim/sgd.cc.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/optim_sgd.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;

template <class C>
struct Plain {
  static constexpr size_t kStates = 0;

  explicit Plain(const sdk::Step& step) : k(step) {}

  template <class D, class V>
  HWY_INLINE void operator()(D d, V& p, V g, V*) const {
    p = hn::Add(p, hn::Mul(hn::Set(d, k.minus_lr), direction(d, p, g)));
  }
  template <class D, class V>
  HWY_INLINE V direction(D d, V p, V g) const {
    return k.weight_decay != 0 ? hn::Add(g, hn::Mul(hn::Set(d, k.weight_decay), p)) : g;
  }

  sdk::SgdScalars<C> k;
};

template <class C>
struct Momentum : Plain<C> {
  static constexpr size_t kStates = 1;
  using Plain<C>::Plain;
  using Plain<C>::k;

  template <class D, class V>
  HWY_INLINE void operator()(D d, V& p, V g, V* buffer) const {
    const V step = this->direction(d, p, g);
    const V kept = hn::Set(d, k.momentum);
    buffer[0] =
        k.first ? step : hn::Add(hn::Mul(kept, buffer[0]), hn::Mul(hn::Set(d, k.taken), step));
    const V change = k.nesterov ? hn::Add(step, hn::Mul(kept, buffer[0])) : buffer[0];
    p = hn::Add(p, hn::Mul(hn::Set(d, k.minus_lr), change));
  }
};

// Without momentum the buffer is not read or written.
void sgd(const sdk::Launch& l) {
  if (l.attrs.real(sdk::SgdAttr::kMomentum) == 0) {
    optim::step<1, Plain>(l);
  } else {
    optim::step<1, Momentum>(l);
  }
}

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<1>("tenon.sgd_step", sdk::SgdAttr::kAttrs, sdk::launch_fn<sgd>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> optim_sgd_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(optim_sgd) = {.chosen_kernels = TENON_CPU_CHOOSE(optim_sgd_kernels)};
#endif
