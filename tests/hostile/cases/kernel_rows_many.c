// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_rows_many.c: a kernel for a million rows of dtypes.
// refused: kernel 0 (hostile.twice on cpu): n_rows is 1000000; 1 to 65536 rows of dtypes are
//   possible
#include "../hostile.h"

void spoil(void) { twice_kernel.desc.n_rows = 1000000; }
