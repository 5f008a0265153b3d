// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/tolerance_ulp_negative.c: a tolerance below zero.
// refused: tolerance 0: `ulp` is -1.000000; a finite number of 0 or more is needed
#include "../hostile.h"

void spoil(void) { tolerance.desc.ulp = -1; }
