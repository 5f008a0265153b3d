// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_datasets_size_small.c: the table of datasets says it ends before its
// entries.
// refused: table tenon.datasets/1: struct_size is 8; {tenon_ops_table} is needed
#include "../hostile.h"

void spoil(void) { datasets_table.struct_size = 8; }
