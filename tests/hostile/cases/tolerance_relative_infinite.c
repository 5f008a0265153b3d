// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/tolerance_relative_infinite.c: a tolerance that everything passes.
// refused: tolerance 0: `relative` is inf; a finite number of 0 or more is needed
#include "../hostile.h"

void spoil(void) { tolerance.desc.relative = 1e308 * 10; }
