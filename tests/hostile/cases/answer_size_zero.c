// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_size_zero.c: says that it filled in no byte.
// refused: filled in 0 bytes of tenon_plugin; {tenon_plugin} are needed
#include "../hostile.h"

void spoil(void) { answer.struct_size = 0; }
