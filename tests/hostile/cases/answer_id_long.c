// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_id_long.c: its id is longer than any text.
// refused: id: a string is longer than 1048576 bytes
#include "../hostile.h"

void spoil(void) { answer.id.length = UINT64_MAX - 1; }
