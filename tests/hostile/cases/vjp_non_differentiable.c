// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_non_differentiable.c: a backward rule that names an input which does not
// exist.
// refused: backward rule of hostile.twice: non_differentiable names input 5; the rule knows 1
#include "../hostile.h"

void spoil(void) { twice_rule.desc.non_differentiable = 1u << 5; }
