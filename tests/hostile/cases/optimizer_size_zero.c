// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_size_zero.c: a descriptor (optimizer) that says it has no bytes.
// needs: optimizer hostile.sgd
// refused: optimizer 0: struct_size is 0; at least {tenon_optimizer_desc} is needed
#include "../hostile.h"

void spoil(void) { sgd.desc.struct_size = 0; }
