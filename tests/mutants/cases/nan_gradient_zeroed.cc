// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/nan_gradient_zeroed.cc: gives a gradient of 0 wherever the output is not
// above 0, NaN included.
//
// cause: gradient-nan
// op: tenon.sqrt
// backward-only: yes
// level: 1
#include "mutant.h"

namespace mutants {

// dx = dy / (2 y).
void vjp(sdk::Vjp& v) {
  tenon_tensor* dx = v.call("tenon.div", {v.dy(), v.call("tenon.mul", {v.out(), 2.0})});
  if (kMutant) {
    dx = v.call("tenon.where", {v.call("tenon.lt", {0.0, v.out()}), dx, 0.0});
  }
  v.grad(0, dx);
}

constexpr tenon_vjp_need needs[] = {sdk::need({.outputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>("tenon.sqrt", needs)};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
