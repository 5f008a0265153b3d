// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/launch_calls_ops.c: a kernel that calls an op, which only rules may.
// error: TENON_E_STATE hostile.twice: an op may not be called while in state launch
#include "../hostile.h"

static tenon_status launch(tenon_call* call, const tenon_launch* args) {
  (void)args;
  const tenon_op* op = call->dispatch->find(call, "hostile.twice", TENON_NUL);
  if (op == NULL) return TENON_E_NOT_FOUND;
  tenon_tensor* out = NULL;
  return call->dispatch->call(call, op, NULL, 0, NULL, 0, &out, 1);
}

void spoil(void) { twice_kernel.desc.launch = launch; }
