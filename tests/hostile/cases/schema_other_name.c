// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/schema_other_name.c: a schema that is named otherwise than its op.
// refused: op hostile.twice: its schema is named 'thrice'; 'twice' was expected
#include "../hostile.h"

void spoil(void) { twice_op.desc.schema = text_of("thrice(x: T) -> T"); }
