// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_slots_many.c: a kernel with more slots than any op has.
// refused: kernel 0 (hostile.twice on cpu): n_slots is 65; at most 64 are possible
#include "../hostile.h"

void spoil(void) { twice_kernel.desc.n_slots = TENON_MAX_SLOTS + 1; }
