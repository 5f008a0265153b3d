// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_fields_null.c: a dataset without `fields`.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers: `fields` is NULL; no slot may be
#include "../hostile.h"

void spoil(void) { numbers.desc.fields = NULL; }
