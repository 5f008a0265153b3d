// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_tolerances_size_small.c: the table of tolerances ends before its
// entries.
// refused: table tenon.selftest.tolerances/1: struct_size is 8; {tenon_ops_table} is needed
#include "../hostile.h"

void spoil(void) { tolerances_table.struct_size = 8; }
