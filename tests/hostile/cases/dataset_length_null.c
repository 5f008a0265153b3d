// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_length_null.c: a dataset without `length`.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers: `length` is NULL; no slot may be
#include "../hostile.h"

void spoil(void) { numbers.desc.length = NULL; }
