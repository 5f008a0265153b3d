// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_shape_no_input.c: an op whose shape is that of an input it does not have.
// refused: op hostile.twice: its shape rule needs an input; the schema has none
#include "../hostile.h"

void spoil(void) { twice_op.desc.schema = text_of("twice(*, n: int) -> f32[...]"); }
