// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_ops_entry_null.c: an entry in the table of ops is NULL.
// refused: op 3 is NULL
#include "../hostile.h"

void spoil(void) {
  ops_table.count = 4;
  ops[3] = NULL;
}
