// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/elu.hpp: what elu and selu share: two factors and the gradient.
#pragma once

#include "rules.hpp"

namespace tenon::unary {

// G. Klambauer and others, "Self-Normalizing Neural Networks", 2017, equation 14.
inline constexpr double kSeluScale = 1.0507009873554804934193349852946;
inline constexpr double kSeluAlpha = 1.6732632423543772848170429916717;

// Of y = above x where x > 0, else below (exp(x) - 1). The exponential is one of 0 where it is not
// wanted, so that no infinity meets the 0 that a second backward brings.
inline void elu_grad(sdk::Vjp& v, double above, double below) {
  tenon_tensor* positive = v.call("tenon.lt", {0, v.in(0)});
  tenon_tensor* x = v.call("tenon.where", {positive, 0, v.in(0)});
  tenon_tensor* bend = v.call("tenon.mul", {v.call("tenon.exp", {x}), below});
  tenon_tensor* slope = v.call("tenon.where", {positive, above, bend});
  v.grad(0, v.call("tenon.mul", {v.dy(), slope}));
}

}  // namespace tenon::unary
