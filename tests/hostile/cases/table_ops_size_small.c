// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_ops_size_small.c: the table of ops says it ends before its entries.
// refused: table tenon.ops/1: struct_size is 8; {tenon_ops_table} is needed
#include "../hostile.h"

void spoil(void) { ops_table.struct_size = 8; }
