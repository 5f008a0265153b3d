// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/infer_size_huge.c: a shape rule that gives more elements than there are
// addresses.
// error: TENON_E_SHAPE the tensor's size in bytes does not fit into 63 bits
#include "../hostile.h"

static tenon_status infer(tenon_call* call, const tenon_launch* args, tenon_meta* metas,
                          uint32_t n) {
  (void)call;
  (void)args;
  (void)n;
  metas[0].rank = 2;
  metas[0].shape[0] = metas[0].shape[1] = INT64_MAX;
  return TENON_OK;
}

void spoil(void) {
  twice_op.desc.shape_rule = TENON_SHAPE_CALLBACK;
  twice_op.desc.infer = infer;
}
