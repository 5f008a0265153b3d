// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_release_null.c: has no release.
// refused: `release` of tenon_plugin is NULL; no slot may be
#include "../hostile.h"

void spoil(void) { answer.release = NULL; }
