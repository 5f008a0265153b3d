// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_optimizer_samples_count.c: the table of optimizer_samples has too
// many entries.
// refused: table tenon.selftest.optimizers/1: count is 4294967295; at most 1048576 entries are
//   accepted
#include "../hostile.h"

void spoil(void) { sgd_runs_table.count = UINT32_MAX; }
