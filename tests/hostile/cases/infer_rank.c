// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/infer_rank.c: a shape rule that gives nine hundred dimensions.
// error: TENON_E_PLUGIN hostile.twice: its shape rule gave an impossible output
#include "../hostile.h"

static tenon_status infer(tenon_call* call, const tenon_launch* args, tenon_meta* metas,
                          uint32_t n) {
  (void)call;
  (void)args;
  (void)n;
  metas[0].rank = 900;
  return TENON_OK;
}

void spoil(void) {
  twice_op.desc.shape_rule = TENON_SHAPE_CALLBACK;
  twice_op.desc.infer = infer;
}
