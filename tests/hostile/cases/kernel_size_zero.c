// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_size_zero.c: a descriptor (kernel) that says it has no bytes.
// refused: kernel 0: struct_size is 0; at least {tenon_kernel_desc} is needed
#include "../hostile.h"

void spoil(void) { twice_kernel.desc.struct_size = 0; }
