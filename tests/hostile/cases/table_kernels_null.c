// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_kernels_null.c: the table of kernels has a count and no entries.
// refused: table tenon.kernels/1: its list of entries is NULL
#include "../hostile.h"

void spoil(void) { kernels_table.descs = NULL; }
