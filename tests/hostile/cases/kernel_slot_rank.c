// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_slot_rank.c: a kernel with a slot for nine dimensions.
// refused: kernel 0 (hostile.twice on cpu): slot 0 has max_rank 9, a rank above 8
#include "../hostile.h"

void spoil(void) { twice_slots[0].max_rank = 9; }
