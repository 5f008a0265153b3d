// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/init_garbage_self.c: its init stores garbage, which only comes back to it.
// opens: op hostile.finite was passed over for role 'isfinite': tenon.isfinite of plugin tenon.ops
//   holds it
#include "../hostile.h"

static tenon_status bad_init(const tenon_host* host, void** out_self, tenon_diag* diag) {
  (void)host;
  (void)diag;
  *out_self = (void*)(uintptr_t)0xdeadbeef;
  return TENON_OK;
}

void spoil(void) { answer.init = bad_init; }
