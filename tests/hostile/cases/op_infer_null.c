// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_infer_null.c: an op whose shape rule is a callback that is not there.
// refused: op hostile.step: shape rule CALLBACK needs `infer`; it is NULL
#include "../hostile.h"

void spoil(void) { step_op.desc.infer = NULL; }
