// SPDX-License-Identifier: Apache-2.0
// plugins/optim/adam.hpp: what Adam and AdamW share: operands, attributes, states.
#pragma once

#include <tenon/sdk/op.hpp>
#include <tenon/sdk/plugin.hpp>

#include <cmath>

#include "compose.hpp"
#include "step.hpp"

namespace tenon::optim::adam {

enum Attr : uint32_t { kBeta1, kBeta2, kEps, kWeightDecay };

inline constexpr ListSlot kStepSlots[] = {{"params", Form::Like},
                                          {"grads", Form::Like},
                                          {"exp_avg", Form::Like},
                                          {"exp_avg_sq", Form::Like},
                                          {"step", Form::Scalar}};
inline constexpr ListSlot kRowsSlots[] = {{"params", Form::Like},     {"indices", Form::Indices},
                                          {"values", Form::Values},   {"exp_avg", Form::Like},
                                          {"exp_avg_sq", Form::Like}, {"step", Form::Scalar}};

inline void check_attrs(const sdk::Args& args) {
  check_range(args, kBeta1, "beta1", 0, kBelowOne, "at least 0 and below 1");
  check_range(args, kBeta2, "beta2", 0, kBelowOne, "at least 0 and below 1");
  check_range(args, kEps, "eps", 0, kLargest, "at least 0");
  check_range(args, kWeightDecay, "weight_decay", 0, kLargest, "at least 0");
}

inline void infer_step(const sdk::Args& args, std::span<tenon_meta>) {
  check_lists(args, kStepSlots);
  check_attrs(args);
}

inline void infer_rows(const sdk::Args& args, std::span<tenon_meta>) {
  check_lists(args, kRowsSlots);
  check_attrs(args);
}

// 1 - beta^t for the step that is being made, t = step + 1: f64, rank 0.
template <class U>
sdk::Value correction(U& u, double beta) {
  const sdk::Value t = u.add(u.cast(u.step(), TENON_DTYPE_F64), 1.0);
  return u.sub(1.0, u.call("tenon.exp", u.mul(t, std::log(beta))));
}

// `decoupled`: weight decay shrinks the parameter (AdamW), else it joins the gradient (Adam).
// Parameter and means are written in place by addcmul and addcdiv, whose arithmetic is the one
// that adam.cc states; the parameter comes last, because its gradient may be in the same memory.
template <bool rows, bool decoupled>
void compose(sdk::Compose& c) {
  const double beta1 = c.attrs.real(kBeta1);
  const double beta2 = c.attrs.real(kBeta2);
  const double weight_decay = c.attrs.real(kWeightDecay);
  for (uint32_t item = 0; item < c.in(0).count; ++item) {
    Update<rows> u(c, 2, item);
    const auto p = u.hold_param(), m = u.hold_state(0), v = u.hold_state(1);
    const sdk::Value rate = u.lr();
    sdk::Value g = u.grad();
    if (weight_decay != 0 && !decoupled) g = u.add(g, u.mul(p.now, weight_decay));
    const sdk::Value step = u.call("tenon.neg", u.div(rate, correction(u, beta1)));
    const sdk::Value root = u.to_c(u.call("tenon.sqrt", correction(u, beta2)));
    u.scale(m, beta1);
    u.add_product(m, g, 1.0, 1 - beta1);
    u.scale(v, beta2);
    u.add_product(v, g, g, 1 - beta2);
    const sdk::Value slope = u.add(u.div(u.call("tenon.sqrt", v.now), root), c.attrs.real(kEps));
    if (weight_decay != 0 && decoupled) {
      u.scale(p, u.to_c(u.sub(1.0, u.mul(rate, weight_decay))));
    }
    u.add_quotient(p, u.mul(m.now, u.to_c(step)), slope);
    u.keep(m);
    u.keep(v);
    u.keep(p);
    u.count_step();
  }
}

inline constexpr tenon_hyper_desc kLr = {
    sdk::str("lr"), sdk::str("learning rate"), TENON_HYPER_DYNAMIC, TENON_VALUE_F64, 1e-3, 0,
    kLargest};
inline constexpr tenon_hyper_desc kBeta1Hyper = {
    sdk::str("beta1"),
    sdk::str("share of the mean of gradients that is kept"),
    0,
    TENON_VALUE_F64,
    0.9,
    0,
    kBelowOne};
inline constexpr tenon_hyper_desc kBeta2Hyper = {
    sdk::str("beta2"),
    sdk::str("share of the mean of squared gradients that is kept"),
    0,
    TENON_VALUE_F64,
    0.999,
    0,
    kBelowOne};
inline constexpr tenon_hyper_desc kEpsHyper = {sdk::str("eps"),
                                               sdk::str("added to the root, against division by 0"),
                                               0,
                                               TENON_VALUE_F64,
                                               1e-8,
                                               0,
                                               kLargest};

inline constexpr tenon_state_desc kStates[] = {
    {sdk::str("exp_avg"), sdk::str("running mean of gradients, m"), TENON_STATE_LIKE_PARAMETER,
     TENON_DTYPE_NONE, 0},
    {sdk::str("exp_avg_sq"), sdk::str("running mean of squared gradients, v"),
     TENON_STATE_LIKE_PARAMETER, TENON_DTYPE_NONE, 0},
    {sdk::str("step"), sdk::str("steps made"), TENON_STATE_SCALAR, TENON_DTYPE_I64, 0}};

}  // namespace tenon::optim::adam
