// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_slots_fewer.c: a kernel without its op's output.
// refused: kernel 0 (hostile.twice on cpu) has 0 output slots; the op has 1: its schema is twice(x:
//   T[...]) -> T[...] where T: float
#include "../hostile.h"

void spoil(void) { twice_kernel.desc.n_slots = 1; }
