// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/term_dropped.cc: leaves out the term that all elements of a row share.
//
// cause: wrong-gradient
// op: tenon.softmax
// backward-only: yes
// level: 1
#include "mutant.h"

namespace mutants {

// dx = y (dy - sum(dy y)).
void vjp(sdk::Vjp& v) {
  tenon_tensor* weighted = v.call("tenon.mul", {v.dy(), v.out()});
  if (kMutant) return v.grad(0, weighted);
  const int64_t axis = v.attr(0).as.i64;
  tenon_tensor* total = v.call("tenon.sum", {weighted}, {std::span(&axis, 1), true});
  v.grad(0, v.call("tenon.mul", {v.call("tenon.sub", {v.dy(), total}), v.out()}));
}

constexpr tenon_vjp_need needs[] = {sdk::need({.outputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>("tenon.softmax", needs, 1)};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
