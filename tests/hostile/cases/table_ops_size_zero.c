// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_ops_size_zero.c: the table of ops says it has no bytes.
// refused: table tenon.ops/1: struct_size is 0; {tenon_ops_table} is needed
#include "../hostile.h"

void spoil(void) { ops_table.struct_size = 0; }
