// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_tail.c: a descriptor (dataset) with data behind what this Tenon
// knows.
// needs: dataset hostile.numbers
// refused: dataset 0 needs a newer Tenon: unknown data at offset {tenon_dataset_desc+3}
#include "../hostile.h"

void spoil(void) {
  numbers.desc.struct_size = sizeof numbers;
  numbers.tail[3] = 1;
}
