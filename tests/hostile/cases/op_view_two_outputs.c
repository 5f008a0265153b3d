// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_view_two_outputs.c: a view of two outputs.
// refused: op hostile.twice: a view op needs an input and exactly one output; its schema is
//   twice(x: T[...]) -> (T[...], T[...])
#include "../hostile.h"

static tenon_status view(tenon_call* call, const tenon_launch* args, tenon_view_result* out) {
  (void)call;
  (void)args;
  (void)out;
  return TENON_OK;
}

void spoil(void) {
  twice_op.desc.view = view;
  twice_op.desc.schema = text_of("twice(x: T[...]) -> (T[...], T[...])");
}
