// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/schema_where.c: a schema with a set that Tenon does not have.
// refused: op hostile.twice: schema column 27: expected a category (any, bool, uint, int, float,
//   number) or a dtype, found 'quaternion'
//   \n  twice(x: T) -> T where T: quaternion
//   \n                            ^
#include "../hostile.h"

void spoil(void) { twice_op.desc.schema = text_of("twice(x: T) -> T where T: quaternion"); }
