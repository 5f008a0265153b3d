// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_row_unknown.c: a kernel for a dtype that Tenon does not have.
// refused: kernel 0 (hostile.twice on cpu): dtype row 1 gives unknown dtype 12345 to variable T,
//   which the op does not allow: its schema is twice(x: T[...]) -> T[...] where T: float
#include "../hostile.h"

void spoil(void) {
  float_rows[1] = 12345;
  twice_kernel.desc.n_rows = 2;
}
