// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/tolerance_flags.c: a tolerance with flags nobody knows.
// refused: tolerance 0 needs a newer Tenon: unknown flags 4
#include "../hostile.h"

void spoil(void) { tolerance.desc.flags = 4; }
