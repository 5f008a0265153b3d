// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_optimizer_samples_size_small.c: the table of optimizer_samples ends
// before its entries.
// refused: table tenon.selftest.optimizers/1: struct_size is 8; {tenon_ops_table} is needed
#include "../hostile.h"

void spoil(void) { sgd_runs_table.struct_size = 8; }
