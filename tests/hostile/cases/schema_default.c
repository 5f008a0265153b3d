// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/schema_default.c: a schema with a default of another kind.
// refused: op hostile.twice: schema column 23: expected an integer, found '1'
//   \n  twice(x: T, *, n: int=1.5) -> T
//   \n                        ^
#include "../hostile.h"

void spoil(void) { twice_op.desc.schema = text_of("twice(x: T, *, n: int=1.5) -> T"); }
