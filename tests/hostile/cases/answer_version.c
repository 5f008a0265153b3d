// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_version.c: its version is not the one of its manifest.
// refused: plugin.json and the library disagree in field "version": plugin.json says "1.2.3", the
//   library "9.9.9"; write plugin.json again with `tenon manifest`
#include "../hostile.h"

void spoil(void) { answer.version = text_of("9.9.9"); }
