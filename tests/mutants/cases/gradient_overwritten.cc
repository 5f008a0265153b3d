// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/gradient_overwritten.cc: multiplies the incoming gradient in place: its own
// result is right, and whoever else holds that gradient has lost it.
//
// cause: incoming-gradient-changed
// op: tenon.sigmoid
// backward-only: yes
// level: 1
#include "mutant.h"

namespace mutants {

// dx = dy y (1 - y).
void vjp(sdk::Vjp& v) {
  tenon_tensor* slope = v.call("tenon.mul", {v.out(), v.call("tenon.sub", {1.0, v.out()})});
  tenon_tensor* dy = v.dy().tensor();
  if (kMutant) {
    v.call_into("tenon.mul", {dy, slope}, {}, {dy});
    return v.grad(0, dy);
  }
  v.grad(0, v.call("tenon.mul", {dy, slope}));
}

constexpr tenon_vjp_need needs[] = {sdk::need({.outputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>("tenon.sigmoid", needs)};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
