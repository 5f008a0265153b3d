// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_tail.c: a descriptor (kernel) with data behind what this Tenon knows.
// refused: kernel 0 needs a newer Tenon: unknown data at offset {tenon_kernel_desc+3}
#include "../hostile.h"

void spoil(void) {
  twice_kernel.desc.struct_size = sizeof twice_kernel;
  twice_kernel.tail[3] = 1;
}
