// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_flags.c: a descriptor (vjp) with a flag that this Tenon does not know.
// refused: backward rule of hostile.twice needs a newer Tenon: unknown flags 1073741824, reserved 0
#include "../hostile.h"

void spoil(void) { twice_rule.desc.flags |= 1u << 30; }
