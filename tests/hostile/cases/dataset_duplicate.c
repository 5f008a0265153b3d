// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_duplicate.c: a dataset that is there twice.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers is registered twice
#include "../hostile.h"

void spoil(void) { datasets[datasets_table.count++] = &numbers.desc; }
