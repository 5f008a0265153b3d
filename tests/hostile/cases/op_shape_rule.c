// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_shape_rule.c: an op with a shape rule that Tenon does not have.
// refused: op hostile.twice: shape rule 9 is unknown; the plugin needs a newer Tenon
#include "../hostile.h"

void spoil(void) { twice_op.desc.shape_rule = 9; }
