// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/infer_size_negative.c: a shape rule that gives a negative size.
// error: TENON_E_SHAPE a dimension cannot be negative
#include "../hostile.h"

static tenon_status infer(tenon_call* call, const tenon_launch* args, tenon_meta* metas,
                          uint32_t n) {
  (void)call;
  (void)args;
  (void)n;
  metas[0].rank = 1;
  metas[0].shape[0] = -5;
  return TENON_OK;
}

void spoil(void) {
  twice_op.desc.shape_rule = TENON_SHAPE_CALLBACK;
  twice_op.desc.infer = infer;
}
