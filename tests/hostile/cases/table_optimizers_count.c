// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_optimizers_count.c: the table of optimizers has four thousand million
// entries.
// refused: table tenon.optimizers/1: count is 4294967295; at most 1048576 entries are accepted
#include "../hostile.h"

void spoil(void) { optimizers_table.count = UINT32_MAX; }
