// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/one_gradient_only.cc: sets one gradient for each backward: the second
// operand's is missing where both are wanted.
//
// cause: no-gradient
// op: tenon.sub
// backward-only: yes
// level: 1
#include "mutant.h"

namespace mutants {

// da = dy, db = -dy.
void vjp(sdk::Vjp& v) {
  if (v.wants(0)) {
    v.grad(0, v.dy());
    if (kMutant) return;
  }
  if (v.wants(1)) v.grad(1, v.call("tenon.neg", {v.dy()}));
}

constexpr tenon_vjp_need needs[2] = {};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>("tenon.sub", needs)};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
