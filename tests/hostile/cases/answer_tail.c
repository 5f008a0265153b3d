// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_tail.c: writes behind what it was told to fill in.
// refused: needs a newer Tenon: unknown data at offset {tenon_plugin+5} of tenon_plugin
#include "../hostile.h"

void spoil(void) { ((unsigned char*)query_out)[sizeof(tenon_plugin) + 5] = 1; }
