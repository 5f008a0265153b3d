// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_optimizer_samples_null.c: the table of optimizer_samples has a count
// and no entries.
// refused: table tenon.selftest.optimizers/1: its list of entries is NULL
#include "../hostile.h"

void spoil(void) { sgd_runs_table.descs = NULL; }
