// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/schema_required_last.c: a schema in which a required input follows an
// optional one.
// refused: op hostile.twice: schema column 14: required input 'y' follows an optional one (optional
//   inputs come last)
//   \n  twice(x: T?, y: T) -> T
//   \n               ^
#include "../hostile.h"

void spoil(void) { twice_op.desc.schema = text_of("twice(x: T?, y: T) -> T"); }
