// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_datasets_count.c: the table of datasets has four thousand million
// entries.
// refused: table tenon.datasets/1: count is 4294967295; at most 1048576 entries are accepted
#include "../hostile.h"

void spoil(void) { datasets_table.count = UINT32_MAX; }
