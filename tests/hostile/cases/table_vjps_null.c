// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_vjps_null.c: the table of vjps has a count and no entries.
// refused: table tenon.vjps/1: its list of entries is NULL
#include "../hostile.h"

void spoil(void) { rules_table.descs = NULL; }
