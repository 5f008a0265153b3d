// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_gradient_of_nobody.c: a backward rule that gives a gradient to an input
// which does not exist.
// needs: backward hostile.twice
// error: TENON_E_VJP backward rule of hostile.twice: sets the gradient of an operand that was not
//   given
#include "../hostile.h"

static tenon_status vjp(tenon_call* call, void* user) {
  (void)user;
  tenon_value value;
  const tenon_status status = call->vjp->get_output_grad(call, 0, &value);
  if (status != TENON_OK) return status;
  return call->vjp->set_input_grad(call, 9, 0, value.as.tensor);
}

void spoil(void) { twice_rule.desc.vjp = vjp; }
