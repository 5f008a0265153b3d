// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_optimizers_size_small.c: the table of optimizers says it ends before
// its entries.
// refused: table tenon.optimizers/1: struct_size is 8; {tenon_ops_table} is needed
#include "../hostile.h"

void spoil(void) { optimizers_table.struct_size = 8; }
