// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_attributes_missing.c: a kernel that was built without a required
// attribute of its op.
// refused: kernel 0 (hostile.twice on cpu) has 0 attributes; the op has 1: its schema is twice(x:
//   T[...], *, n: int) -> T[...] where T: float
#include "../hostile.h"

void spoil(void) {
  twice_op.desc.schema = text_of("twice(x: T[...], *, n: int) -> T[...] where T: float");
}
