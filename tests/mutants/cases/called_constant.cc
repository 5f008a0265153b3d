// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/called_constant.cc: says that the divisor never has a gradient.
//
// cause: no-gradient
// op: tenon.div
// backward-only: yes
// level: 1
#include "mutant.h"

namespace mutants {

// da = dy / b, db = -dy (y / b).
void vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, v.call("tenon.div", {v.dy(), v.in(1)}));
  if (!v.wants(1)) return;
  tenon_tensor* slope = v.call("tenon.div", {v.out(), v.in(1)});
  v.grad(1, v.call("tenon.neg", {v.call("tenon.mul", {v.dy(), slope})}));
}

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(1)}),
    sdk::need({.inputs = sdk::bit(1), .outputs = sdk::bit(0)}),
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = "tenon.div",
                                             .needs = needs,
                                             .vjp = sdk::vjp_fn<vjp>,
                                             .non_differentiable = kMutant ? sdk::bit(1) : 0,
                                             .priority = kPriority})};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
