// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_flags.c: a descriptor (kernel) with a flag that this Tenon does not
// know.
// refused: kernel 0 (hostile.twice on cpu) needs a newer Tenon: unknown flags 1073741824
#include "../hostile.h"

void spoil(void) { twice_kernel.desc.flags |= 1u << 30; }
