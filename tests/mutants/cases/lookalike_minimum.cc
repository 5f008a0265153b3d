// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/lookalike_minimum.cc: has the backward rule of the minimum: the gradient
// goes to the smaller operand, which is to say to the other one.
//
// cause: swapped-gradients
// op: tenon.maximum
// backward-only: yes
// level: 1
#include "mutant.h"

namespace mutants {

// dy where `self` is larger, dy / 2 at ties, else nothing.
tenon_tensor* share_of(sdk::Vjp& v, sdk::Value self, sdk::Value other) {
  tenon_tensor* half = v.call("tenon.mul", {v.dy(), 0.5});
  tenon_tensor* tied = v.call("tenon.eq", {self, other});
  tenon_tensor* share = v.call("tenon.where", {tied, half, v.dy()});
  tenon_tensor* loses =
      kMutant ? v.call("tenon.lt", {other, self}) : v.call("tenon.lt", {self, other});
  return v.call("tenon.where", {loses, 0, share});
}

void vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, share_of(v, v.in(0), v.in(1)));
  if (v.wants(1)) v.grad(1, share_of(v, v.in(1), v.in(0)));
}

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(0) | sdk::bit(1)}),
                                    sdk::need({.inputs = sdk::bit(0) | sdk::bit(1)})};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>("tenon.maximum", needs)};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
