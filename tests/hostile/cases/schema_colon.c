// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/schema_colon.c: a schema in which an input has no type.
// refused: op hostile.twice: schema column 8: expected ':' after an input's name, found ')'
//   \n  twice(x) -> T
//   \n         ^
#include "../hostile.h"

void spoil(void) { twice_op.desc.schema = text_of("twice(x) -> T"); }
