// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_vjps_count.c: the table of vjps has four thousand million entries.
// refused: table tenon.vjps/1: count is 4294967295; at most 1048576 entries are accepted
#include "../hostile.h"

void spoil(void) { rules_table.count = UINT32_MAX; }
