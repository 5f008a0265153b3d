// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_variables.c: a kernel for more type variables than its op has.
// refused: kernel 0 (hostile.twice on cpu): n_variables is 2; the op has 1 type variables: its
//   schema is twice(x: T[...]) -> T[...] where T: float
#include "../hostile.h"

void spoil(void) { twice_kernel.desc.n_variables = 2; }
