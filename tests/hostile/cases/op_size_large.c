// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_size_large.c: a descriptor (op) that says it is longer than any can be.
// needs: op hostile.twice
// refused: op 0: struct_size is 100000; more than 1024 cannot be right
#include "../hostile.h"

void spoil(void) { twice_op.desc.struct_size = 100000; }
