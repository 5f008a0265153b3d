// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/device_alloc_fails.c: a device that never has memory.
// needs: device hostile
// error: TENON_E_MEMORY out of memory: 24 bytes are neither free nor allowed by the limit
#include "../hostile.h"

static tenon_status alloc(void* self, int32_t index, uint64_t bytes, void** out_data) {
  (void)self;
  (void)index;
  (void)bytes;
  (void)out_data;
  return TENON_E_MEMORY;
}

void spoil(void) { backend.table.alloc = alloc; }
