// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_license.c: its license is not the one of its manifest.
// refused: plugin.json and the library disagree in field "license": plugin.json says "Apache-2.0",
//   the library "Proprietary"; write plugin.json again with `tenon manifest`
#include "../hostile.h"

void spoil(void) { answer.license = text_of("Proprietary"); }
