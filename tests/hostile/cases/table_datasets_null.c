// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_datasets_null.c: the table of datasets has a count and no entries.
// refused: table tenon.datasets/1: its list of entries is NULL
#include "../hostile.h"

void spoil(void) { datasets_table.descs = NULL; }
