// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_reserved.c: fills in a reserved member.
// refused: needs a newer Tenon: unknown flags 0, reserved 5 in tenon_plugin
#include "../hostile.h"

void spoil(void) { answer.reserved = 5; }
