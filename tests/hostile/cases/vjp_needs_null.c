// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_needs_null.c: a backward rule that does not say what it needs.
// refused: backward rule of hostile.twice: `needs` is NULL, but n_inputs is 1
#include "../hostile.h"

void spoil(void) { twice_rule.desc.needs = NULL; }
