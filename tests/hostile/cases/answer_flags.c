// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_flags.c: sets flags that no version has.
// refused: needs a newer Tenon: unknown flags 4, reserved 0 in tenon_plugin
#include "../hostile.h"

void spoil(void) { answer.flags = 4; }
