// SPDX-License-Identifier: Apache-2.0
// plugins/optim/adam.hpp: what Adam, AdamW and LAMB share.
#pragma once

#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <cmath>

#include "compose.hpp"
#include "rule.hpp"

namespace tenon::optim::adam {

inline constexpr Hyper kBeta1 = {"beta1", "share of the mean of gradients that is kept", 0.9, 0,
                                 kBelowOne};
inline constexpr Hyper kBeta2 = {"beta2", "share of the mean of squared gradients that is kept",
                                 0.999, 0, kBelowOne};
inline constexpr State kStates[] = {{"exp_avg", "running mean of gradients, m"},
                                    {"exp_avg_sq", "running mean of squared gradients, v"}};

// 1 - beta^t for the step that is being made, t = step + 1: f64, rank 0.
template <class U>
sdk::Value correction(U& u, double beta) {
  const sdk::Value t = u.add(u.cast(u.step(), TENON_DTYPE_F64), 1.0);
  return u.sub(1.0, u.call("tenon.exp", u.mul(t, std::log(beta))));
}

// `decoupled`: weight decay shrinks the parameter (AdamW), else it joins the gradient (Adam).
// Parameter and means are written in place by addcmul and addcdiv, whose arithmetic is the one
// that adam.cc states; the parameter comes last, because its gradient may be in the same memory.
template <const Rule& rule, bool rows, bool decoupled>
void compose(sdk::Compose& c) {
  const double beta1 = c.attrs.real(kAttr<rule, "beta1">);
  const double beta2 = c.attrs.real(kAttr<rule, "beta2">);
  const double weight_decay = c.attrs.real(kAttr<rule, "weight_decay">);
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
    const sdk::Value slope =
        u.add(u.div(u.call("tenon.sqrt", v.now), root), c.attrs.real(kAttr<rule, "eps">));
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

}  // namespace tenon::optim::adam
