// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_launch_null.c: a kernel that cannot be launched.
// refused: kernel 0 (hostile.twice on cpu): `launch` is NULL
#include "../hostile.h"

void spoil(void) { twice_kernel.desc.launch = NULL; }
