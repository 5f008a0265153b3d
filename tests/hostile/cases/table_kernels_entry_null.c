// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_kernels_entry_null.c: an entry in the table of kernels is NULL.
// refused: kernel 3 is NULL
#include "../hostile.h"

void spoil(void) {
  kernels_table.count = 4;
  kernels[3] = NULL;
}
