// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_slots_more.c: a kernel with more inputs than its op.
// refused: kernel 0 (hostile.twice on cpu) has 2 input slots; the op has 1: its schema is twice(x:
//   T[...]) -> T[...] where T: float
#include "../hostile.h"

void spoil(void) {
  twice_slots[1].role = TENON_SLOT_IN;
  twice_slots[2].role = TENON_SLOT_OUT;
  twice_kernel.desc.n_slots = 3;
}
