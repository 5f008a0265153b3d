// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/device_alloc_null.c: a device that gives no memory and calls that success.
// needs: device hostile
// error: TENON_E_MEMORY out of memory: 24 bytes are neither free nor allowed by the limit
#include "../hostile.h"

static tenon_status alloc(void* self, int32_t index, uint64_t bytes, void** out_data) {
  (void)self;
  (void)index;
  (void)bytes;
  *out_data = NULL;
  return TENON_OK;
}

void spoil(void) { backend.table.alloc = alloc; }
