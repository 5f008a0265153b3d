// SPDX-License-Identifier: Apache-2.0
// tests/mutants/project/cross_entropy.h: the backward rule of tenon.softmax_cross_entropy in parts.
#pragma once

#include "mutant.h"

namespace mutants {

// What the loss's gradient adds.
inline tenon_tensor* loss_part(sdk::Vjp& v) {
  return v.call("tenon.softmax_cross_entropy_grad", {v.dy(0), v.out(1), v.in(1)}, {v.attr(0)});
}

// What the gradient of the aux output log_probs adds: the rule of log_softmax.
inline tenon_tensor* log_probs_part(sdk::Vjp& v) {
  const int64_t axis = 1;
  tenon_tensor* total = v.call("tenon.sum", {v.dy(1)}, {std::span(&axis, 1), true});
  tenon_tensor* spread = v.call("tenon.mul", {v.call("tenon.exp", {v.out(1)}), total});
  return v.call("tenon.sub", {v.dy(1), spread});
}

inline constexpr tenon_vjp_need kCrossEntropyNeeds[] = {
    sdk::need({.inputs = sdk::bit(1), .outputs = sdk::bit(1)}),
    {},
};

template <void (*Rule)(sdk::Vjp&)>
constexpr tenon_vjp_desc cross_entropy_rule() {
  return sdk::vjp({.op = "tenon.softmax_cross_entropy",
                   .needs = kCrossEntropyNeeds,
                   .vjp = sdk::vjp_fn<Rule>,
                   .n_outputs = 2,
                   .n_attrs = 1,
                   .flags = TENON_VJP_TWICE | TENON_VJP_ACCEPTS_ABSENT,
                   .non_differentiable = sdk::bit(1),
                   .priority = kPriority});
}

}  // namespace mutants
