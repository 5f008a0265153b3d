// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_optimizers_null.c: the table of optimizers has a count and no entries.
// refused: table tenon.optimizers/1: its list of entries is NULL
#include "../hostile.h"

void spoil(void) { optimizers_table.descs = NULL; }
