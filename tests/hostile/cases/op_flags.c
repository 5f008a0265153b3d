// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_flags.c: a descriptor (op) with a flag that this Tenon does not know.
// needs: op hostile.twice
// refused: op hostile.twice needs a newer Tenon: unknown flags 1073741824, reserved 0
#include "../hostile.h"

void spoil(void) { twice_op.desc.flags |= 1u << 30; }
