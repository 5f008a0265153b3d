// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/device_stream_fails.c: a device that never has a stream.
// needs: device hostile
// error: TENON_E_DEVICE device hostile:0 cannot create a stream
#include "../hostile.h"

static tenon_status create(void* self, int32_t index, void** out_object) {
  (void)self;
  (void)index;
  (void)out_object;
  return TENON_E_DEVICE;
}

void spoil(void) { backend.table.stream_create = create; }
