// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_selftest_size_small.c: the table of selftest says it ends before its
// entries.
// refused: table tenon.selftest/1: struct_size is 8; {tenon_ops_table} is needed
#include "../hostile.h"

void spoil(void) { samples_table.struct_size = 8; }
