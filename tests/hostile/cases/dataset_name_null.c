// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_name_null.c: a name (dataset) that is NULL but has a length.
// needs: dataset hostile.numbers
// refused: dataset 0: a string is NULL but has length 15
#include "../hostile.h"

void spoil(void) { numbers.desc.name.data = NULL; }
