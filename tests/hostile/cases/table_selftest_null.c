// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_selftest_null.c: the table of selftest has a count and no entries.
// refused: table tenon.selftest/1: its list of entries is NULL
#include "../hostile.h"

void spoil(void) { samples_table.samples = NULL; }
