// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_init_null.c: has no init.
// refused: `init` of tenon_plugin is NULL; no slot may be
#include "../hostile.h"

void spoil(void) { answer.init = NULL; }
