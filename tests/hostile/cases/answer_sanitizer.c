// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_sanitizer.c: instrumented in another way than this Tenon.
// refused: built with an unknown sanitizer; this Tenon with {sanitizer}
#include "../hostile.h"

void spoil(void) { answer.fingerprint.sanitizer = 9; }
