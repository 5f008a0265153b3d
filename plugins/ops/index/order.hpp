// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/order.hpp: what ops share that put elements in order.
#pragma once

#include "index/along.hpp"

namespace tenon::rules {

// Backward of an op with attribute `axis` at place `at` whose output 0 is x gathered at output 1.
inline void gradient_of_picked(sdk::Vjp& v, uint32_t at) {
  v.grad(0, scattered_sum(v, Dims(v.in_meta(0)), v.out(1), v.dy(0), v.attr(at)));
}

inline constexpr tenon_vjp_need kPickedNeeds[] = {
    sdk::need({.outputs = sdk::bit(1), .input_metas = sdk::bit(0)})};

}  // namespace tenon::rules
