// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_options_many.c: a dataset with a thousand options.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers: n_options is 1000; at most 64 are possible
#include "../hostile.h"

void spoil(void) { numbers.desc.n_options = 1000; }
