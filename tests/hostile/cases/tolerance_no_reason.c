// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/tolerance_no_reason.c: a tolerance without a reason.
// refused: tolerance 0: `reason` is empty; say in a sentence why the bits may differ
#include "../hostile.h"

void spoil(void) { tolerance.desc.reason.length = 0; }
