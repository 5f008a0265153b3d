// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/schema_bytes.c: a schema with a byte that is no ASCII.
// refused: op hostile.twice: schema column 18: expected printable ASCII, found byte 195
//   \n  twice(x: T) -> T ??
//   \n                   ^
#include "../hostile.h"

void spoil(void) { twice_op.desc.schema = text_of("twice(x: T) -> T \xc3\xa9"); }
