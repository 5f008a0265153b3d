// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_outputs_many.c: a backward rule for more outputs than its op has.
// refused: backward rule of hostile.twice has 2 output slots; the op has 1: its schema is twice(x:
//   T[...]) -> T[...] where T: float
#include "../hostile.h"

void spoil(void) { twice_rule.desc.n_outputs = 2; }
