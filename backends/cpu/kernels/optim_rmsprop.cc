// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/optim_rmsprop.cc: rmsprop_step: parameter, gradient and the states that are
// in use are read once and written once.
// Formulas and arithmetic: plugins/optim/rmsprop.cc.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/optim_rmsprop.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;

enum List : uint32_t { kSquares, kMeans, kBuffer, kLists };

template <class C, bool centered, bool has_momentum>
struct Update {
  static constexpr size_t kStates = 1 + centered + has_momentum;
  static constexpr std::array<uint32_t, 3> kUsed = {kSquares, centered ? kMeans : kBuffer, kBuffer};

  explicit Update(const sdk::Step& step) : k(step) {}

  template <class D, class V>
  HWY_INLINE void operator()(D d, V& p, V g, V* states) const {
    if (k.weight_decay != 0) g = hn::Add(g, hn::Mul(hn::Set(d, k.weight_decay), p));
    const V some = hn::Mul(hn::Set(d, k.taken), g);
    states[0] = hn::Add(hn::Mul(hn::Set(d, k.alpha), states[0]), hn::Mul(some, g));
    V square = states[0];
    if constexpr (centered) {
      states[1] = hn::Add(hn::Mul(hn::Set(d, k.alpha), states[1]), some);
      square = hn::Sub(square, hn::Mul(states[1], states[1]));
    }
    const V root = hn::Add(hn::Sqrt(square), hn::Set(d, k.eps));
    if constexpr (has_momentum) {
      V& buffer = states[1 + centered];
      buffer = hn::Add(hn::Mul(hn::Set(d, k.momentum), buffer), hn::Div(g, root));
      p = hn::Add(p, hn::Mul(buffer, hn::Set(d, k.minus_lr)));
    } else {
      p = hn::Add(p, hn::Div(hn::Mul(hn::Set(d, k.minus_lr), g), root));
    }
  }

  sdk::RmspropScalars<C> k;
};

template <bool centered, bool has_momentum>
struct Choice {
  template <class C>
  using Rule = Update<C, centered, has_momentum>;
};

template <bool centered>
void rmsprop(const sdk::Launch& l) {
  if (l.attrs.real(sdk::RmspropAttr::kMomentum) == 0) {
    optim::step<kLists, Choice<centered, false>::template Rule>(l);
  } else {
    optim::step<kLists, Choice<centered, true>::template Rule>(l);
  }
}

// A state that is not in use is not read or written.
void launch(const sdk::Launch& l) {
  l.attrs.flag(sdk::RmspropAttr::kCentered) ? rmsprop<true>(l) : rmsprop<false>(l);
}

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<3>("tenon.rmsprop_step", sdk::RmspropAttr::kAttrs, sdk::launch_fn<launch>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> optim_rmsprop_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(optim_rmsprop) = {.chosen_kernels = TENON_CPU_CHOOSE(optim_rmsprop_kernels)};
#endif
