// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_null.c: a backward rule without its function.
// refused: backward rule of hostile.twice: `vjp` is NULL
#include "../hostile.h"

void spoil(void) { twice_rule.desc.vjp = NULL; }
