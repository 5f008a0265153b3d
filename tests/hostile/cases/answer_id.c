// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_id.c: is another plugin than its manifest says.
// refused: plugin.json and the library disagree in field "id": plugin.json says "hostile.plugin",
//   the library "hostile.other"; write plugin.json again with `tenon manifest`
#include "../hostile.h"

void spoil(void) { answer.id = text_of("hostile.other"); }
