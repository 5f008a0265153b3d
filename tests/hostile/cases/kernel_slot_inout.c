// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_slot_inout.c: a kernel that writes to an input which its op only
// reads.
// refused: kernel 0 (hostile.twice on cpu): slot 0 must have role IN, because input 'x' is not
//   marked '!' in the schema twice(x: T[...]) -> T[...] where T: float
#include "../hostile.h"

void spoil(void) { twice_slots[0].role = TENON_SLOT_INOUT; }
