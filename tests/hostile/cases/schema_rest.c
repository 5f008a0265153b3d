// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/schema_rest.c: a schema with something behind its end.
// refused: op hostile.twice: schema column 18: expected 'where' or the end of the text, found 'and'
//   \n  twice(x: T) -> T and more
//   \n                   ^
#include "../hostile.h"

void spoil(void) { twice_op.desc.schema = text_of("twice(x: T) -> T and more"); }
