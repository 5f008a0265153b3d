// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/schema_nameless.c: a schema that does not name its op.
// refused: op hostile.twice: schema column 1: expected the op's name, found '('
//   \n  (x: T) -> T
//   \n  ^
#include "../hostile.h"

void spoil(void) { twice_op.desc.schema = text_of("(x: T) -> T"); }
