// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/init_fails_words.c: its init fails and says why.
// failed: its init reported: the device is on fire
#include "../hostile.h"

static tenon_status bad_init(const tenon_host* host, void** out_self, tenon_diag* diag) {
  (void)host;
  (void)out_self;
  return say(diag, TENON_E_DEVICE, "the device is on fire");
}

void spoil(void) { answer.init = bad_init; }
