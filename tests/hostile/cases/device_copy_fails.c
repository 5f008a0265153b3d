// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/device_copy_fails.c: a device that cannot copy.
// needs: device hostile
// error: TENON_E_DEVICE device hostile:0 failed to copy 24 bytes
#include "../hostile.h"

static tenon_status copy(void* self, int32_t index, void* stream, uint32_t direction, void* to,
                         const void* from, uint64_t bytes) {
  (void)self;
  (void)index;
  (void)stream;
  (void)direction;
  (void)to;
  (void)from;
  (void)bytes;
  return TENON_E_DEVICE;
}

void spoil(void) { backend.table.copy = copy; }
