// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/init_fails_with_self.c: its init stores an object and fails all the same: it
// is not released.
// failed: its init reported: half of it was made
#include "../hostile.h"

static tenon_status bad_init(const tenon_host* host, void** out_self, tenon_diag* diag) {
  (void)host;
  *out_self = &hostile_inits;
  return say(diag, TENON_E_MEMORY, "half of it was made");
}

void spoil(void) { answer.init = bad_init; }
