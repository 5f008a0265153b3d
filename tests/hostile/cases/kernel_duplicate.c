// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_duplicate.c: a kernel that is there twice.
// refused: kernel 3 (hostile.twice on cpu) is registered twice: another kernel has the same slots
//   and a dtype row of it
#include "../hostile.h"

void spoil(void) { kernels[kernels_table.count++] = &twice_kernel.desc; }
