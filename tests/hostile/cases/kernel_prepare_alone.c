// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_prepare_alone.c: a kernel that prepares what nobody can release.
// refused: kernel 0 (hostile.twice on cpu): it has `prepare` but no `release_prepared`; give both
//   or neither
#include "../hostile.h"

static tenon_status prepare(tenon_call* call, const tenon_launch* args, void** out) {
  (void)call;
  (void)args;
  *out = NULL;
  return TENON_OK;
}

void spoil(void) { twice_kernel.desc.prepare = prepare; }
