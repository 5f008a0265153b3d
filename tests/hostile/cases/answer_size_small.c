// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_size_small.c: says that it filled in less than it had to.
// refused: filled in 32 bytes of tenon_plugin; {tenon_plugin} are needed
#include "../hostile.h"

void spoil(void) { answer.struct_size = 32; }
