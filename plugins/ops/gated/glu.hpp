// SPDX-License-Identifier: Apache-2.0
// plugins/ops/gated/glu.hpp: the gate of glu, written in ops.
#pragma once

#include "gated/halves.hpp"

namespace tenon::gated {

struct Glu {
  static constexpr bool kGateFirst = false;
  static tenon_tensor* value(sdk::Compose& c, sdk::Value gate) {
    return c.call("tenon.sigmoid", {gate});
  }
  // 1 - s as sigmoid(-b): it keeps its digits where it is small.
  static tenon_tensor* slope(sdk::Compose& c, sdk::Value g, sdk::Value gate, sdk::Value value) {
    tenon_tensor* rest = c.call("tenon.sigmoid", {c.call("tenon.neg", {gate})});
    return c.call("tenon.mul", {g, c.call("tenon.mul", {value, rest})});
  }
};

}  // namespace tenon::gated
