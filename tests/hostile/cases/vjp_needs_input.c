// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_needs_input.c: a backward rule that needs an input which does not exist.
// refused: backward rule of hostile.twice: needs[0].inputs names input 1; the rule knows 1
#include "../hostile.h"

void spoil(void) { twice_needs[0].inputs = 2; }
