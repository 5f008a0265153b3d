// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_size_small.c: a descriptor (kernel) that is a pointer too short.
// refused: kernel 0: struct_size is 40; at least {tenon_kernel_desc} is needed
#include "../hostile.h"

void spoil(void) { twice_kernel.desc.struct_size = 40; }
