// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/schema_duplicate_name.c: a schema in which two inputs have one name.
// refused: op hostile.twice: schema column 13: the name 'x' is taken (inputs, attributes and
//   outputs share one set of names)
//   \n  twice(x: T, x: T) -> T
//   \n              ^
#include "../hostile.h"

void spoil(void) { twice_op.desc.schema = text_of("twice(x: T, x: T) -> T"); }
