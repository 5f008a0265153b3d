// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/device_count_fails_silent.c: a device that cannot be used and does not say
// why.
// needs: device hostile
// error: TENON_E_DEVICE device hostile:0 does not exist: device_count returned status 7
#include "../hostile.h"

static tenon_status count(void* self, int32_t* out_count, tenon_diag* diag) {
  (void)self;
  (void)out_count;
  (void)diag;
  return TENON_E_DEVICE;
}

void spoil(void) { backend.table.device_count = count; }
