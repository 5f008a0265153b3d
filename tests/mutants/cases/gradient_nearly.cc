// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/gradient_nearly.cc: takes a constant from a slide rule: a slope that is a
// ten-thousandth too steep.
//
// cause: wrong-gradient
// op: tenon.sqrt
// backward-only: yes
// level: 1
#include "mutant.h"

namespace mutants {

// dx = dy / (2 y).
void vjp(sdk::Vjp& v) {
  tenon_tensor* slope = v.call("tenon.mul", {v.out(), kMutant ? 1.9998 : 2.0});
  v.grad(0, v.call("tenon.div", {v.dy(), slope}));
}

constexpr tenon_vjp_need needs[] = {sdk::need({.outputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>("tenon.sqrt", needs)};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
