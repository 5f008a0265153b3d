// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/gradient_of_nothing.cc: refuses the gradient where the first dimension is 0,
// a shape that no sample of the op has.
//
// cause: gradient-refused
// op: tenon.flip
// backward-only: yes
// level: 1
#include "mutant.h"

namespace mutants {

// dx = dy, flipped back.
void vjp(sdk::Vjp& v) {
  const tenon_meta x = v.in_meta(0);
  if (kMutant && x.rank > 1 && x.shape[0] == 0) {
    throw sdk::Failure{TENON_E_SHAPE, "nothing to flip"};
  }
  v.grad(0, v.call("tenon.flip", {v.dy()}, {v.attr(0)}));
}

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>("tenon.flip", needs, 1)};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
