// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_reads_undeclared.c: a backward rule that reads what it did not ask for.
// needs: backward hostile.twice
// error: TENON_E_VJP backward rule of hostile.twice: reads input 0, which its needs do not declare
#include "../hostile.h"

static tenon_status vjp(tenon_call* call, void* user) {
  (void)user;
  tenon_value value;
  return call->vjp->get_input(call, 0, &value);
}

void spoil(void) { twice_rule.desc.vjp = vjp; }
