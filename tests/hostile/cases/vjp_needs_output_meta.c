// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_needs_output_meta.c: a backward rule that needs the shape of an output
// which does not exist.
// refused: backward rule of hostile.twice: needs[0].output_metas names output 1; the rule knows 1
#include "../hostile.h"

void spoil(void) { twice_needs[0].output_metas = 2; }
