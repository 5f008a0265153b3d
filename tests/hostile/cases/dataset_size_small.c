// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_size_small.c: a descriptor (dataset) that is a pointer too short.
// needs: dataset hostile.numbers
// refused: dataset 0: struct_size is 40; at least {tenon_dataset_desc} is needed
#include "../hostile.h"

void spoil(void) { numbers.desc.struct_size = 40; }
