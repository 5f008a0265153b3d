// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_size_zero.c: a descriptor (op) that says it has no bytes.
// needs: op hostile.twice
// refused: op 0: struct_size is 0; at least {tenon_op_desc} is needed
#include "../hostile.h"

void spoil(void) { twice_op.desc.struct_size = 0; }
