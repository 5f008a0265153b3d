// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_slot_order.c: a kernel with an input behind an output.
// refused: kernel 0 (hostile.twice on cpu): slot 1 is an input behind an output; slots are the
//   schema's inputs, then its outputs
#include "../hostile.h"

void spoil(void) {
  twice_slots[0].role = TENON_SLOT_OUT;
  twice_slots[1].role = TENON_SLOT_IN;
}
