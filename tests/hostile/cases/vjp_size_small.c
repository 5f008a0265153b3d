// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_size_small.c: a descriptor (vjp) that is a pointer too short.
// refused: backward rule 0: struct_size is 40; at least {tenon_vjp_desc} is needed
#include "../hostile.h"

void spoil(void) { twice_rule.desc.struct_size = 40; }
