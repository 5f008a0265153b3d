// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_slot_role.c: a kernel with a slot of no known role.
// refused: kernel 0 (hostile.twice on cpu): slot 0 has an unknown role 9
#include "../hostile.h"

void spoil(void) { twice_slots[0].role = 9; }
