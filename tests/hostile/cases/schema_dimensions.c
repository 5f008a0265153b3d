// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/schema_dimensions.c: a schema with nine dimensions.
// refused: op hostile.twice: schema column 28: too many dimensions (at most 8)
//   \n  twice(x: T[a,b,c,d,e,f,g,h,i]) -> T
//   \n                             ^
#include "../hostile.h"

void spoil(void) { twice_op.desc.schema = text_of("twice(x: T[a,b,c,d,e,f,g,h,i]) -> T"); }
