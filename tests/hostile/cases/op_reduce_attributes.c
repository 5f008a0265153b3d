// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_reduce_attributes.c: an op that reduces, without the attributes that say
// over what.
// refused: op hostile.twice: shape rule REDUCE needs the attributes 'axes' and 'keepdims'; the
//   schema is twice(x: T[...]) -> T[...] where T: float
#include "../hostile.h"

void spoil(void) { twice_op.desc.shape_rule = TENON_SHAPE_REDUCE; }
