// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_reserved.c: a descriptor (vjp) that fills in a reserved member.
// refused: backward rule of hostile.twice needs a newer Tenon: unknown flags 0, reserved 6
#include "../hostile.h"

void spoil(void) { twice_rule.desc.reserved = 6; }
