// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/launch_fails_odd_status.c: a kernel that returns a status that no version
// has.
// error: TENON_E_PLUGIN hostile.twice: the kernel failed without saying why
#include "../hostile.h"

static tenon_status launch(tenon_call* call, const tenon_launch* args) {
  (void)args;
  (void)call;
  return 4711;
}

void spoil(void) { twice_kernel.desc.launch = launch; }
