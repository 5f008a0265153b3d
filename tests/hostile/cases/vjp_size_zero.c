// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_size_zero.c: a descriptor (vjp) that says it has no bytes.
// refused: backward rule 0: struct_size is 0; at least {tenon_vjp_desc} is needed
#include "../hostile.h"

void spoil(void) { twice_rule.desc.struct_size = 0; }
