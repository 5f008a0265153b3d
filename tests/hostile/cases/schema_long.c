// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/schema_long.c: a schema of five thousand bytes.
// refused: op hostile.twice: schema column 1: the text has 5000 bytes (at most 4096, canonical
//   spaces included)
//   \n  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...
//   \n  ^
#include "../hostile.h"

#include <string.h>

void spoil(void) {
  static char schema[5001];
  memset(schema, 'x', 5000);
  twice_op.desc.schema = text_of(schema);
}
