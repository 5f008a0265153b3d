// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_id_null.c: its id is NULL but has a length.
// refused: id: a string is NULL but has length 14
#include "../hostile.h"

void spoil(void) { answer.id.data = NULL; }
