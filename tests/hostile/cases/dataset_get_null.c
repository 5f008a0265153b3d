// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_get_null.c: a dataset without `get`.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers: `get` is NULL; no slot may be
#include "../hostile.h"

void spoil(void) { numbers.desc.get = NULL; }
