// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/schema_unbound.c: a schema whose output has a dtype that nothing gives.
// refused: op hostile.twice: schema column 16: output type 'U' is not bound (a required input or
//   attribute must use the variable)
//   \n  twice(x: T) -> U
//   \n                 ^
#include "../hostile.h"

void spoil(void) { twice_op.desc.schema = text_of("twice(x: T) -> U"); }
