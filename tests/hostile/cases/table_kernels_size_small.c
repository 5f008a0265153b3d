// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_kernels_size_small.c: the table of kernels says it ends before its
// entries.
// refused: table tenon.kernels/1: struct_size is 8; {tenon_ops_table} is needed
#include "../hostile.h"

void spoil(void) { kernels_table.struct_size = 8; }
