// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_row_not_allowed.c: a kernel for a dtype that its op does not take.
// refused: kernel 0 (hostile.twice on cpu): dtype row 1 gives i32 to variable T, which the op does
//   not allow: its schema is twice(x: T[...]) -> T[...] where T: float
#include "../hostile.h"

void spoil(void) {
  float_rows[1] = TENON_DTYPE_I32;
  twice_kernel.desc.n_rows = 2;
}
