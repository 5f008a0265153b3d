// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/tolerance_dtype.c: a tolerance for integers, whose bits never differ.
// refused: tolerance 0 has dtype 73728; TENON_DTYPE_F16, BF16, F32 or F64 is needed
#include "../hostile.h"

void spoil(void) { tolerance.desc.dtype = TENON_DTYPE_I32; }
