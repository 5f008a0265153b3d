// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_vjps_size_small.c: the table of vjps says it ends before its entries.
// refused: table tenon.vjps/1: struct_size is 8; {tenon_ops_table} is needed
#include "../hostile.h"

void spoil(void) { rules_table.struct_size = 8; }
