// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_step_other.c: an optimizer whose step op is made for something
// else.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: its step op must have 4 inputs (params, grads, each state, each
//   dynamic hyper-parameter); its schema is twice(x: T[...]) -> T[...] where T: float
#include "../hostile.h"

void spoil(void) { sgd.desc.step_op = text_of("hostile.twice"); }
