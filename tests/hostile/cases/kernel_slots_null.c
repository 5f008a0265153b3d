// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_slots_null.c: a kernel with a count of slots and no slots.
// refused: kernel 0 (hostile.twice on cpu): `slots` is NULL, but n_slots is 2
#include "../hostile.h"

void spoil(void) { twice_kernel.desc.slots = NULL; }
