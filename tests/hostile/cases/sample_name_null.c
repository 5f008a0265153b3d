// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/sample_name_null.c: a sample whose op is NULL but has a length.
// refused: sample 0: a string is NULL but has length 13
#include "../hostile.h"

void spoil(void) { samples[0].op.data = NULL; }
