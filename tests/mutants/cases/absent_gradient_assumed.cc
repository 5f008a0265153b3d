// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/absent_gradient_assumed.cc: says that absent gradients may arrive and calls
// an op with the loss's gradient without looking whether it is there.
//
// cause: gradient-refused
// op: tenon.softmax_cross_entropy
// backward-only: yes
// level: 1
#include "mutant.h"

#include "cross_entropy.h"

namespace mutants {

void vjp(sdk::Vjp& v) {
  sdk::Value gradient;
  if (kMutant || !v.dy(0).is_none()) gradient = loss_part(v);
  if (has_aux_gradient(v)) {
    tenon_tensor* own = aux_part(v);
    gradient = gradient.is_none() ? own : v.call("tenon.add", {gradient, own});
  }
  if (!gradient.is_none()) v.grad(0, gradient);
}

constexpr tenon_vjp_desc vjps[] = {cross_entropy_rule<vjp>()};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
