// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_device_name.c: a kernel for a device kind that is no name.
// refused: kernel 0: the device kind 'my device' is not one of [a-z0-9_]
#include "../hostile.h"

void spoil(void) { twice_kernel.desc.device = text_of("my device"); }
