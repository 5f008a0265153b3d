// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_size_small.c: a descriptor (optimizer) that is a pointer too short.
// needs: optimizer hostile.sgd
// refused: optimizer 0: struct_size is 40; at least {tenon_optimizer_desc} is needed
#include "../hostile.h"

void spoil(void) { sgd.desc.struct_size = 40; }
