// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_attributes_many.c: a backward rule for attributes that its op does not
// have.
// refused: backward rule of hostile.twice has 1 attributes; the op has 0: its schema is twice(x:
//   T[...]) -> T[...] where T: float
#include "../hostile.h"

void spoil(void) { twice_rule.desc.n_attrs = 1; }
