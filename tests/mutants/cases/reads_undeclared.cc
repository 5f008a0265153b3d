// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/reads_undeclared.cc: reads the input to compute its exponential again, and
// declares the output.
//
// cause: undeclared-read
// op: tenon.exp
// backward-only: yes
// level: 1
#include "mutant.h"

namespace mutants {

// dx = dy y.
void vjp(sdk::Vjp& v) {
  const sdk::Value y = kMutant ? sdk::Value(v.call("tenon.exp", {v.in(0)})) : v.out();
  v.grad(0, v.call("tenon.mul", {v.dy(), y}));
}

constexpr tenon_vjp_need needs[] = {sdk::need({.outputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>("tenon.exp", needs)};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
