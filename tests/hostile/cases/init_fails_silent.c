// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/init_fails_silent.c: its init fails without a word.
// failed: its init reported: status 7
#include "../hostile.h"

static tenon_status bad_init(const tenon_host* host, void** out_self, tenon_diag* diag) {
  (void)host;
  (void)out_self;
  (void)diag;
  return TENON_E_DEVICE;
}

void spoil(void) { answer.init = bad_init; }
