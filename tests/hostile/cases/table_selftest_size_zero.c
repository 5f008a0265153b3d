// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_selftest_size_zero.c: the table of selftest says it has no bytes.
// refused: table tenon.selftest/1: struct_size is 0; {tenon_ops_table} is needed
#include "../hostile.h"

void spoil(void) { samples_table.struct_size = 0; }
