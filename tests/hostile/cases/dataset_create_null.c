// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_create_null.c: a dataset without `create`.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers: `create` is NULL; no slot may be
#include "../hostile.h"

void spoil(void) { numbers.desc.create = NULL; }
