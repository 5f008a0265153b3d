// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/balanced.hpp: products of many numbers whose parts leave the range of f64.
//
// The elements along an axis are multiplied by powers of two, which is exact, so that each product
// of the first ones lies in [2^-1/2, 2^1/2]: x'_i = x_i 2^(k_(i-1) - k_i), where k_i is the sum of
// log2 |x_j| up to i, rounded. Products from the other end, and of a stretch, then stay between
// 1/2 and 2, and what is left to do is one power of two for each result. Zeros and what is not
// finite count as 1 for the powers.
#pragma once

#include <array>

#include "reduce/scan.hpp"

namespace tenon::rules {

// x * 2^k, k whole: in two steps, since 2^k alone may leave the range.
inline tenon_tensor* times_power_of_2(sdk::Calls& calls, sdk::Value x, sdk::Value k) {
  constexpr double kMaxPower = 2046;
  const sdk::Value within = calls.call("tenon.clamp", {k, -kMaxPower, kMaxPower});
  const sdk::Value half = calls.call("tenon.floor", {calls.call("tenon.mul", {within, 0.5})});
  const sdk::Value rest = calls.call("tenon.sub", {within, half});
  x = calls.call("tenon.mul", {x, calls.call("tenon.exp2", {half})});
  return calls.call("tenon.mul", {x, calls.call("tenon.exp2", {rest})});
}

struct Balanced {
  sdk::Value x;       // x'
  sdk::Value upto;    // k_i
  sdk::Value before;  // k_(i-1), 0 at the first place

  // Of x in f64, along `axis` from its first element on, or from its last.
  static Balanced along(sdk::Vjp& v, sdk::Value x, int64_t axis, bool reverse) {
    const sdk::Value logarithm = v.call("tenon.log2", {v.call("tenon.abs", {x})});
    const sdk::Value powers =
        v.call("tenon.where", {v.call("tenon.isfinite", {logarithm}), logarithm, 0});
    Balanced made;
    made.upto = v.call("tenon.round", {v.call("tenon.cumsum", {powers}, {axis, reverse, false})});
    made.before = neighbour_before(v, made.upto, axis, reverse);
    made.x = times_power_of_2(v, x, v.call("tenon.sub", {made.before, made.upto}));
    return made;
  }
};

}  // namespace tenon::rules
