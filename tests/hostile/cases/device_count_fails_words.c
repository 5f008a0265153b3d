// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/device_count_fails_words.c: a device that says why it cannot be used: it
// loads, and its words come back.
// needs: device hostile
// error: TENON_E_DEVICE device hostile:0 does not exist: the driver is of another age
#include "../hostile.h"

static tenon_status count(void* self, int32_t* out_count, tenon_diag* diag) {
  (void)self;
  (void)out_count;
  return say(diag, TENON_E_DEVICE, "the driver is of another age");
}

void spoil(void) { backend.table.device_count = count; }
