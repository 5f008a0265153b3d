// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_name_null.c: a name (kernel) that is NULL but has a length.
// refused: kernel 0: a string is NULL but has length 13
#include "../hostile.h"

void spoil(void) { twice_kernel.desc.op.data = NULL; }
