// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_name_null.c: a name (op) that is NULL but has a length.
// needs: op hostile.twice
// refused: op 0: a string is NULL but has length 13
#include "../hostile.h"

void spoil(void) { twice_op.desc.name.data = NULL; }
