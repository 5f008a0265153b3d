// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_step_name.c: an optimizer whose step op has no name.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: step_op '' is no op name
#include "../hostile.h"

void spoil(void) { sgd.desc.step_op = text_of(""); }
