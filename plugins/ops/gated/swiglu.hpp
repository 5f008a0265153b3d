// SPDX-License-Identifier: Apache-2.0
// plugins/ops/gated/swiglu.hpp: the gate of swiglu, written in ops.
#pragma once

#include "gated/halves.hpp"

namespace tenon::gated {

struct Swiglu {
  static constexpr bool kGateFirst = true;
  static tenon_tensor* value(sdk::Compose& c, sdk::Value gate) {
    return c.call("tenon.silu", {gate});
  }
  // s + v (1 - s), with 1 - s as sigmoid(-a): it keeps its digits where it is small.
  static tenon_tensor* slope(sdk::Compose& c, sdk::Value g, sdk::Value gate, sdk::Value value) {
    tenon_tensor* share = c.call("tenon.sigmoid", {gate});
    tenon_tensor* rest = c.call("tenon.sigmoid", {c.call("tenon.neg", {gate})});
    tenon_tensor* bend = c.call("tenon.mul", {value, rest});
    return c.call("tenon.mul", {g, c.call("tenon.add", {share, bend})});
  }
};

}  // namespace tenon::gated
