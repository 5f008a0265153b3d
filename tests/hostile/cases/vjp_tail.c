// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_tail.c: a descriptor (vjp) with data behind what this Tenon knows.
// refused: backward rule 0 needs a newer Tenon: unknown data at offset {tenon_vjp_desc+3}
#include "../hostile.h"

void spoil(void) {
  twice_rule.desc.struct_size = sizeof twice_rule;
  twice_rule.tail[3] = 1;
}
