// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_slot_layout.c: a kernel with a slot of no known class of layouts.
// refused: kernel 0 (hostile.twice on cpu): slot 1 has an unknown layout class 9
#include "../hostile.h"

void spoil(void) { twice_slots[1].layout = 9; }
