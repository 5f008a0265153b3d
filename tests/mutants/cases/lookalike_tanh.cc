// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/lookalike_tanh.cc: has the backward rule of tanh: 1 - y^2 instead of y (1 -
// y).
//
// cause: gradient-of-another-op
// op: tenon.sigmoid
// backward-only: yes
// level: 1
#include "mutant.h"

namespace mutants {

// dx = dy y (1 - y).
void vjp(sdk::Vjp& v) {
  tenon_tensor* slope = nullptr;
  if (kMutant) {
    slope = v.call("tenon.sub", {1.0, v.call("tenon.mul", {v.out(), v.out()})});
  } else {
    slope = v.call("tenon.mul", {v.out(), v.call("tenon.sub", {1.0, v.out()})});
  }
  v.grad(0, v.call("tenon.mul", {v.dy(), slope}));
}

constexpr tenon_vjp_need needs[] = {sdk::need({.outputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>("tenon.sigmoid", needs)};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
