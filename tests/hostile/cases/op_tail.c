// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_tail.c: a descriptor (op) with data behind what this Tenon knows.
// needs: op hostile.twice
// refused: op 0 needs a newer Tenon: unknown data at offset {tenon_op_desc+3}
#include "../hostile.h"

void spoil(void) {
  twice_op.desc.struct_size = sizeof twice_op;
  twice_op.tail[3] = 1;
}
