// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_datasets_entry_null.c: an entry in the table of datasets is NULL.
// refused: dataset 1 is NULL
#include "../hostile.h"

void spoil(void) {
  datasets_table.count = 2;
  datasets[1] = NULL;
}
