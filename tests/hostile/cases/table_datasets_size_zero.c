// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_datasets_size_zero.c: the table of datasets says it has no bytes.
// refused: table tenon.datasets/1: struct_size is 0; {tenon_ops_table} is needed
#include "../hostile.h"

void spoil(void) { datasets_table.struct_size = 0; }
