// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_needs_input_meta.c: a backward rule that needs the shape of an input
// which does not exist.
// refused: backward rule of hostile.twice: needs[0].input_metas names input 1; the rule knows 1
#include "../hostile.h"

void spoil(void) { twice_needs[0].input_metas = UINT64_MAX; }
