// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_optimizers_size_zero.c: the table of optimizers says it has no bytes.
// refused: table tenon.optimizers/1: struct_size is 0; {tenon_ops_table} is needed
#include "../hostile.h"

void spoil(void) { optimizers_table.struct_size = 0; }
