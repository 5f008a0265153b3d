// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_slot_flags.c: a kernel with a slot with a flag that Tenon does not
// know.
// refused: kernel 0 (hostile.twice on cpu): slot 0 has an unknown flag: needs a newer Tenon for
//   flags 1048576
#include "../hostile.h"

void spoil(void) { twice_slots[0].flags = 1u << 20; }
