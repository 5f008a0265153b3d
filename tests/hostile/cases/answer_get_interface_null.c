// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_get_interface_null.c: has no get_interface.
// refused: `get_interface` of tenon_plugin is NULL; no slot may be
#include "../hostile.h"

void spoil(void) { answer.get_interface = NULL; }
