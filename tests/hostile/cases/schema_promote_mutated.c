// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/schema_promote_mutated.c: a schema that promotes an operand it writes to.
// refused: op hostile.twice: schema column 31: 'T' cannot promote (an input marked '!' is written
//   in place and is never cast)
//   \n  twice(x!: T, y: T) -> T where T: float promote
//   \n                                ^
#include "../hostile.h"

void spoil(void) {
  twice_op.desc.schema = text_of("twice(x!: T, y: T) -> T where T: float promote");
}
