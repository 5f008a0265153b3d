// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_vjps_size_zero.c: the table of vjps says it has no bytes.
// refused: table tenon.vjps/1: struct_size is 0; {tenon_ops_table} is needed
#include "../hostile.h"

void spoil(void) { rules_table.struct_size = 0; }
