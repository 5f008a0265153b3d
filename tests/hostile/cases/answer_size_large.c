// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_size_large.c: says that it filled in more than it was given.
// refused: says that it filled in 100000 bytes of tenon_plugin; it was given {tenon_plugin}
#include "../hostile.h"

void spoil(void) { answer.struct_size = 100000; }
