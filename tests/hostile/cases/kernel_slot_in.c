// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_slot_in.c: a kernel that only reads an operand which its op writes.
// refused: kernel 0 (hostile.twice on cpu): slot 0 must have role INOUT, because input 'x' is
//   marked '!' in the schema twice(x!: T[...]) -> T[...] where T: float
#include "../hostile.h"

void spoil(void) { twice_op.desc.schema = text_of("twice(x!: T[...]) -> T[...] where T: float"); }
