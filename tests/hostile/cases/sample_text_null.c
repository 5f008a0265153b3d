// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/sample_text_null.c: a sample whose text is NULL but has a length.
// refused: sample 0: a string is NULL but has length 8
#include "../hostile.h"

void spoil(void) { samples[0].text.data = NULL; }
