// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/schema_unknown_dtype.c: a schema with a dtype that Tenon does not have.
// refused: op hostile.twice: schema column 10: expected a dtype (f32, i64, bool, ...) or a type
//   variable (a capital, then small letters or digits), found 'f128'
//   \n  twice(x: f128[...]) -> f32[...]
//   \n           ^
#include "../hostile.h"

void spoil(void) { twice_op.desc.schema = text_of("twice(x: f128[...]) -> f32[...]"); }
