// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_ops_null.c: the table of ops has a count and no entries.
// refused: table tenon.ops/1: its list of entries is NULL
#include "../hostile.h"

void spoil(void) { ops_table.descs = NULL; }
