// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/device_count_negative.c: a device kind with minus three devices.
// needs: device hostile
// error: TENON_E_DEVICE device hostile:0 does not exist: the plugin found none and gave no reason
#include "../hostile.h"

static tenon_status count(void* self, int32_t* out_count, tenon_diag* diag) {
  (void)self;
  (void)out_count;
  (void)diag;
  *out_count = -3;
  return TENON_OK;
}

void spoil(void) { backend.table.device_count = count; }
