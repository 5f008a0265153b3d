// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/clamped.hpp: operands of gradients that are flat far from 0.
#pragma once

#include "rules.hpp"

namespace tenon::unary {

// From here on the slope of silu and mish is 0 or 1 in any dtype. The end itself stands for what is
// beyond, so that no infinity meets a 0.
inline constexpr double kFlat = 1000.0;

// y, or the end where x is beyond it.
inline tenon_tensor* not_above_flat(sdk::Vjp& v, sdk::Value x, sdk::Value y) {
  return v.call("tenon.where", {v.call("tenon.lt", {kFlat, x}), kFlat, y});
}

inline tenon_tensor* clamped(sdk::Vjp& v, sdk::Value x) {
  x = v.call("tenon.where", {v.call("tenon.lt", {x, -kFlat}), -kFlat, x});
  return not_above_flat(v, x, x);
}

}  // namespace tenon::unary
