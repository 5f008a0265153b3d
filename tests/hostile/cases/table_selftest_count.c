// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_selftest_count.c: the table of selftest has four thousand million
// entries.
// refused: table tenon.selftest/1: count is 4294967295; at most 1048576 entries are accepted
#include "../hostile.h"

void spoil(void) { samples_table.count = UINT32_MAX; }
