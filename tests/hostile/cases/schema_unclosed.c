// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/schema_unclosed.c: a schema that ends in the middle.
// refused: op hostile.twice: schema column 16: expected ')' or ',' after a parameter, found the end
//   of the text
//   \n  twice(x: T[...]
//   \n                 ^
#include "../hostile.h"

void spoil(void) { twice_op.desc.schema = text_of("twice(x: T[...]"); }
