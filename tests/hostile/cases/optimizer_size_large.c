// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_size_large.c: a descriptor (optimizer) that says it is longer than
// any can be.
// needs: optimizer hostile.sgd
// refused: optimizer 0: struct_size is 100000; more than 1024 cannot be right
#include "../hostile.h"

void spoil(void) { sgd.desc.struct_size = 100000; }
