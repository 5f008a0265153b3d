// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_tolerances_count.c: the table of tolerances has too many entries.
// refused: table tenon.selftest.tolerances/1: count is 4294967295; at most 1048576 entries are
//   accepted
#include "../hostile.h"

void spoil(void) { tolerances_table.count = UINT32_MAX; }
