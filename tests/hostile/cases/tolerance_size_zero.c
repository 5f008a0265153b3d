// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/tolerance_size_zero.c: a tolerance that says it has no bytes.
// refused: tolerance 0: struct_size is 0; at least {tenon_tolerance} is needed
#include "../hostile.h"

void spoil(void) { tolerance.desc.struct_size = 0; }
