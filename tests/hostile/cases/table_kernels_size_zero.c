// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_kernels_size_zero.c: the table of kernels says it has no bytes.
// refused: table tenon.kernels/1: struct_size is 0; {tenon_ops_table} is needed
#include "../hostile.h"

void spoil(void) { kernels_table.struct_size = 0; }
