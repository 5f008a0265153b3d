// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/device_wait_fails.c: a device whose work fails, which is known when it is
// waited for.
// needs: device hostile
// error: TENON_E_DEVICE device hostile:0 failed: a wire came loose; enqueued since the last good
//   wait: copy from host memory
#include "../hostile.h"

static tenon_status wait(void* self, int32_t index, void* stream, tenon_diag* diag) {
  (void)self;
  (void)index;
  (void)stream;
  return say(diag, TENON_E_DEVICE, "a wire came loose");
}

void spoil(void) { backend.table.stream_wait = wait; }
