// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_fails_silent.c: a backward rule that fails without a word.
// needs: backward hostile.twice
// error: TENON_E_INTERNAL hostile.twice: the backward rule failed without saying why
#include "../hostile.h"

static tenon_status vjp(tenon_call* call, void* user) {
  (void)user;
  tenon_value value;
  (void)call;
  (void)value;
  return TENON_E_INTERNAL;
}

void spoil(void) { twice_rule.desc.vjp = vjp; }
