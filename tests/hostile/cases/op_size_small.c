// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_size_small.c: a descriptor (op) that is a pointer too short.
// needs: op hostile.twice
// refused: op 0: struct_size is 40; at least {tenon_op_desc} is needed
#include "../hostile.h"

void spoil(void) { twice_op.desc.struct_size = 40; }
