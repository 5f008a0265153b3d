// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/aux_gradient_forgotten.cc: ignores the gradients of its aux outputs, which
// only come when the rule is differentiated again.
//
// cause: wrong-second-order
// op: tenon.softmax_cross_entropy
// backward-only: yes
// level: 1
#include "mutant.h"

#include "cross_entropy.h"

namespace mutants {

void vjp(sdk::Vjp& v) {
  sdk::Value gradient;
  if (!v.dy(0).is_none()) gradient = loss_part(v);
  if (!kMutant && has_aux_gradient(v)) {
    tenon_tensor* own = aux_part(v);
    gradient = gradient.is_none() ? own : v.call("tenon.add", {gradient, own});
  }
  if (!gradient.is_none()) v.grad(0, gradient);
}

constexpr tenon_vjp_desc vjps[] = {cross_entropy_rule<vjp>()};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
