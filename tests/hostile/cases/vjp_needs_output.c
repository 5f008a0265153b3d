// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_needs_output.c: a backward rule that needs an output which does not
// exist.
// refused: backward rule of hostile.twice: needs[0].outputs names output 7; the rule knows 1
#include "../hostile.h"

void spoil(void) { twice_needs[0].outputs = 1u << 7; }
