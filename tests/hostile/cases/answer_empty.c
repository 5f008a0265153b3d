// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_empty.c: its query succeeds and fills in nothing.
// refused: tenon_plugin_query_v0 returned TENON_OK and filled in nothing
#include "../hostile.h"

void spoil(void) { answer = *query_out; }
