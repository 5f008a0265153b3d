// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_vjps_entry_null.c: an entry in the table of vjps is NULL.
// refused: backward rule 1 is NULL
#include "../hostile.h"

void spoil(void) {
  rules_table.count = 2;
  rules[1] = NULL;
}
