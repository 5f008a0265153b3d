// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/launch_fails_silent.c: a kernel that fails without a word.
// error: TENON_E_DEVICE hostile.twice: the kernel failed without saying why
#include "../hostile.h"

static tenon_status launch(tenon_call* call, const tenon_launch* args) {
  (void)args;
  (void)call;
  return TENON_E_DEVICE;
}

void spoil(void) { twice_kernel.desc.launch = launch; }
