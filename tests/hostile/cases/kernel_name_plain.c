// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_name_plain.c: a name (kernel) without a vendor.
// refused: kernel 0: the name 'plain' is not of the form vendor.name in small letters, digits and
//   '_'
#include "../hostile.h"

void spoil(void) { twice_kernel.desc.op = text_of("plain"); }
