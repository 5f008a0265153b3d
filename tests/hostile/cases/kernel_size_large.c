// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_size_large.c: a descriptor (kernel) that says it is longer than any
// can be.
// refused: kernel 0: struct_size is 100000; more than 1024 cannot be right
#include "../hostile.h"

void spoil(void) { twice_kernel.desc.struct_size = 100000; }
