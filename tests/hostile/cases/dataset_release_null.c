// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_release_null.c: a dataset without `release`.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers: `release` is NULL; no slot may be
#include "../hostile.h"

void spoil(void) { numbers.desc.release = NULL; }
