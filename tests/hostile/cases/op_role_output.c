// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_role_output.c: an op that says of each element whether it is finite, in
// floats.
// needs: op hostile.finite
// refused: op hostile.finite: the holder of role 'isfinite' must have an output of dtype bool as
//   tenon/plugin.h says; its schema is finite(x: T[...]) -> T[...] where T: float
#include "../hostile.h"

void spoil(void) { finite_op.desc.schema = text_of("finite(x: T[...]) -> T[...] where T: float"); }
