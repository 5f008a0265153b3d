// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_name_null.c: a name (vjp) that is NULL but has a length.
// refused: backward rule 0: a string is NULL but has length 13
#include "../hostile.h"

void spoil(void) { twice_rule.desc.op.data = NULL; }
