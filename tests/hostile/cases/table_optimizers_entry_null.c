// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_optimizers_entry_null.c: an entry in the table of optimizers is NULL.
// refused: optimizer 1 is NULL
#include "../hostile.h"

void spoil(void) {
  optimizers_table.count = 2;
  optimizers[1] = NULL;
}
