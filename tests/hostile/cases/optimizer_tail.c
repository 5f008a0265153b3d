// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_tail.c: a descriptor (optimizer) with data behind what this Tenon
// knows.
// needs: optimizer hostile.sgd
// refused: optimizer 0 needs a newer Tenon: unknown data at offset {tenon_optimizer_desc+3}
#include "../hostile.h"

void spoil(void) {
  sgd.desc.struct_size = sizeof sgd;
  sgd.tail[3] = 1;
}
