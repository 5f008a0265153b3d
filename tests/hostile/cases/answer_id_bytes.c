// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_id_bytes.c: its id holds bytes that no terminal should see.
// refused: plugin.json and the library disagree in field "id": plugin.json says "hostile.plugin",
//   the library "hostile.\x1b[2J\xff"; write plugin.json again with `tenon manifest`
#include "../hostile.h"

void spoil(void) { answer.id = text_of("hostile.\x1b[2J\xff"); }
