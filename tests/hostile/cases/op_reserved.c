// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_reserved.c: a descriptor (op) that fills in a reserved member.
// needs: op hostile.twice
// refused: op hostile.twice needs a newer Tenon: unknown flags 0, reserved 6
#include "../hostile.h"

void spoil(void) { twice_op.desc.reserved = 6; }
