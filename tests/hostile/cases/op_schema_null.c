// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_schema_null.c: a schema that is NULL but has a length.
// refused: op hostile.twice: a string is NULL but has length 41
#include "../hostile.h"

void spoil(void) { twice_op.desc.schema.data = NULL; }
