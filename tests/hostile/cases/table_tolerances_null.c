// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_tolerances_null.c: the table of tolerances has a count and no
// entries.
// refused: table tenon.selftest.tolerances/1: its list of entries is NULL
#include "../hostile.h"

void spoil(void) { tolerances_table.descs = NULL; }
