// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_size_large.c: a descriptor (dataset) that says it is longer than any
// can be.
// needs: dataset hostile.numbers
// refused: dataset 0: struct_size is 100000; more than 1024 cannot be right
#include "../hostile.h"

void spoil(void) { numbers.desc.struct_size = 100000; }
