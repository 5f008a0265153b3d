// SPDX-License-Identifier: Apache-2.0
// tests/mutants/project/cross_entropy.h: the backward rule of tenon.softmax_cross_entropy in parts.
#pragma once

#include "mutant.h"

namespace mutants {

// What the loss's gradient adds.
inline tenon_tensor* loss_part(sdk::Vjp& v) {
  return v.call("tenon.softmax_cross_entropy_grad", {v.dy(0), v.in(0), v.out(1), v.out(2), v.in(1)},
                {v.attr(0)});
}

// A number for each row, beside its classes.
inline tenon_tensor* column(sdk::Vjp& v, sdk::Value x) {
  const int64_t shape[] = {v.in_meta(0).shape[0], 1};
  return v.call("tenon.reshape", {x}, {std::span<const int64_t>(shape)});
}

// What the gradients of the aux outputs add, each of which may be absent: of a row's largest
// logit, and of the probability of that. Its logits differ.
inline tenon_tensor* aux_part(sdk::Vjp& v) {
  const sdk::Value none = 0.0;
  const sdk::Value of_top = v.dy(1).is_none() ? none : column(v, v.dy(1));
  const sdk::Value of_prob = v.dy(2).is_none() ? none : column(v, v.dy(2));
  tenon_tensor* top = column(v, v.out(1));
  tenon_tensor* prob = column(v, v.out(2));
  tenon_tensor* powers = v.call("tenon.exp", {v.call("tenon.sub", {v.in(0), top})});
  tenon_tensor* probs = v.call("tenon.mul", {powers, prob});
  tenon_tensor* slope = v.call("tenon.mul", {prob, of_prob});
  tenon_tensor* is_top = v.call("tenon.eq", {v.in(0), top});
  tenon_tensor* direct = v.call("tenon.add", {slope, of_top});
  tenon_tensor* picked = v.call("tenon.where", {is_top, direct, 0});
  return v.call("tenon.sub", {picked, v.call("tenon.mul", {probs, slope})});
}

inline bool has_aux_gradient(sdk::Vjp& v) { return !v.dy(1).is_none() || !v.dy(2).is_none(); }

inline constexpr tenon_vjp_need kCrossEntropyNeeds[] = {
    sdk::need({.inputs = sdk::bit(0) | sdk::bit(1),
               .outputs = sdk::bit(1) | sdk::bit(2),
               .input_metas = sdk::bit(0)}),
    {},
};

template <void (*Rule)(sdk::Vjp&)>
constexpr tenon_vjp_desc cross_entropy_rule() {
  return sdk::vjp({.op = "tenon.softmax_cross_entropy",
                   .needs = kCrossEntropyNeeds,
                   .vjp = sdk::vjp_fn<Rule>,
                   .n_outputs = 3,
                   .n_attrs = 1,
                   .flags = TENON_VJP_TWICE | TENON_VJP_ACCEPTS_ABSENT,
                   .non_differentiable = sdk::bit(1),
                   .priority = kPriority});
}

}  // namespace mutants
