// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_options_null.c: a dataset with a count of options and none.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers: `options` is NULL, but n_options is 1
#include "../hostile.h"

void spoil(void) { numbers.desc.options = NULL; }
