// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_rows_null.c: a kernel with a count of dtype rows and no rows.
// refused: kernel 0 (hostile.twice on cpu): `dtype_rows` is NULL, but n_rows is 1
#include "../hostile.h"

void spoil(void) { twice_kernel.desc.dtype_rows = NULL; }
