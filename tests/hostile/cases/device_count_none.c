// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/device_count_none.c: a device kind without a device, and a reason for it.
// needs: device hostile
// error: TENON_E_DEVICE device hostile:0 does not exist: no card is plugged in
#include "../hostile.h"

static tenon_status count(void* self, int32_t* out_count, tenon_diag* diag) {
  (void)self;
  (void)out_count;
  *out_count = 0;
  (void)say(diag, TENON_OK, "no card is plugged in");
  return TENON_OK;
}

void spoil(void) { backend.table.device_count = count; }
