// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_attributes.c: a kernel for attributes that its op does not have.
// refused: kernel 0 (hostile.twice on cpu) has 2 attributes; the op has 0: its schema is twice(x:
//   T[...]) -> T[...] where T: float
#include "../hostile.h"

void spoil(void) { twice_kernel.desc.n_attrs = 2; }
