// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table.c: tables that are not in order, and structs of later versions.
#include "../hostile.h"

#include <string.h>

// The table of its device is a slot too short.
// needs: device hostile
// refused: table tenon.backend/1: struct_size is 40; {tenon_backend_table} is needed
CASE(table_backend_size_small) { backend.table.struct_size = 40; }

// The table of its device says it has no bytes.
// needs: device hostile
// refused: table tenon.backend/1: struct_size is 0; {tenon_backend_table} is needed
CASE(table_backend_size_zero) { backend.table.struct_size = 0; }

// The table of datasets has four thousand million entries.
// refused: table tenon.datasets/1: count is 4294967295; at most 1048576 entries are accepted
CASE(table_datasets_count) { datasets_table.count = UINT32_MAX; }

// An entry in the table of datasets is NULL.
// refused: dataset 1 is NULL
CASE(table_datasets_entry_null) {
  datasets_table.count = 2;
  datasets[1] = NULL;
}

// The table of datasets has a count and no entries.
// refused: table tenon.datasets/1: its list of entries is NULL
CASE(table_datasets_null) { datasets_table.descs = NULL; }

// The table of datasets says it ends before its entries.
// refused: table tenon.datasets/1: struct_size is 8; {tenon_ops_table} is needed
CASE(table_datasets_size_small) { datasets_table.struct_size = 8; }

// The table of datasets says it has no bytes.
// refused: table tenon.datasets/1: struct_size is 0; {tenon_ops_table} is needed
CASE(table_datasets_size_zero) { datasets_table.struct_size = 0; }

// The table of kernels has four thousand million entries.
// refused: table tenon.kernels/1: count is 4294967295; at most 1048576 entries are accepted
CASE(table_kernels_count) { kernels_table.count = UINT32_MAX; }

// An entry in the table of kernels is NULL.
// refused: kernel 3 is NULL
CASE(table_kernels_entry_null) {
  kernels_table.count = 4;
  kernels[3] = NULL;
}

// The table of kernels has a count and no entries.
// refused: table tenon.kernels/1: its list of entries is NULL
CASE(table_kernels_null) { kernels_table.descs = NULL; }

// The table of kernels says it ends before its entries.
// refused: table tenon.kernels/1: struct_size is 8; {tenon_ops_table} is needed
CASE(table_kernels_size_small) { kernels_table.struct_size = 8; }

// The table of kernels says it has no bytes.
// refused: table tenon.kernels/1: struct_size is 0; {tenon_ops_table} is needed
CASE(table_kernels_size_zero) { kernels_table.struct_size = 0; }

// The table of ops has four thousand million entries.
// refused: table tenon.ops/1: count is 4294967295; at most 1048576 entries are accepted
CASE(table_ops_count) { ops_table.count = UINT32_MAX; }

// An entry in the table of ops is NULL.
// refused: op 3 is NULL
CASE(table_ops_entry_null) {
  ops_table.count = 4;
  ops[3] = NULL;
}

// The table of ops has a count and no entries.
// refused: table tenon.ops/1: its list of entries is NULL
CASE(table_ops_null) { ops_table.descs = NULL; }

// The table of ops says it ends before its entries.
// refused: table tenon.ops/1: struct_size is 8; {tenon_ops_table} is needed
CASE(table_ops_size_small) { ops_table.struct_size = 8; }

// The table of ops says it has no bytes.
// refused: table tenon.ops/1: struct_size is 0; {tenon_ops_table} is needed
CASE(table_ops_size_zero) { ops_table.struct_size = 0; }

// The table of optimizer_samples has too many entries.
// refused: table tenon.selftest.optimizers/1: count is 4294967295; at most 1048576 entries are
//   accepted
CASE(table_optimizer_samples_count) { sgd_runs_table.count = UINT32_MAX; }

// The table of optimizer_samples has a count and no entries.
// refused: table tenon.selftest.optimizers/1: its list of entries is NULL
CASE(table_optimizer_samples_null) { sgd_runs_table.descs = NULL; }

// The table of optimizer_samples ends before its entries.
// refused: table tenon.selftest.optimizers/1: struct_size is 8; {tenon_ops_table} is needed
CASE(table_optimizer_samples_size_small) { sgd_runs_table.struct_size = 8; }

// The table of optimizers has four thousand million entries.
// refused: table tenon.optimizers/1: count is 4294967295; at most 1048576 entries are accepted
CASE(table_optimizers_count) { optimizers_table.count = UINT32_MAX; }

// An entry in the table of optimizers is NULL.
// refused: optimizer 1 is NULL
CASE(table_optimizers_entry_null) {
  optimizers_table.count = 2;
  optimizers[1] = NULL;
}

// The table of optimizers has a count and no entries.
// refused: table tenon.optimizers/1: its list of entries is NULL
CASE(table_optimizers_null) { optimizers_table.descs = NULL; }

// The table of optimizers says it ends before its entries.
// refused: table tenon.optimizers/1: struct_size is 8; {tenon_ops_table} is needed
CASE(table_optimizers_size_small) { optimizers_table.struct_size = 8; }

// The table of optimizers says it has no bytes.
// refused: table tenon.optimizers/1: struct_size is 0; {tenon_ops_table} is needed
CASE(table_optimizers_size_zero) { optimizers_table.struct_size = 0; }

// The table of selftest has four thousand million entries.
// refused: table tenon.selftest/1: count is 4294967295; at most 1048576 entries are accepted
CASE(table_selftest_count) { samples_table.count = UINT32_MAX; }

// The table of selftest has a count and no entries.
// refused: table tenon.selftest/1: its list of entries is NULL
CASE(table_selftest_null) { samples_table.samples = NULL; }

// The table of selftest says it ends before its entries.
// refused: table tenon.selftest/1: struct_size is 8; {tenon_ops_table} is needed
CASE(table_selftest_size_small) { samples_table.struct_size = 8; }

// The table of selftest says it has no bytes.
// refused: table tenon.selftest/1: struct_size is 0; {tenon_ops_table} is needed
CASE(table_selftest_size_zero) { samples_table.struct_size = 0; }

// Its tables are longer than this Tenon knows: what lies behind is not read.
// opens: op hostile.finite was passed over for role 'isfinite': tenon.isfinite of plugin tenon.ops
//   holds it
CASE(table_sizes_larger) {
  ops_table.struct_size += 8;
  kernels_table.struct_size += 8;
  backend.table.struct_size = sizeof backend;
  memset(backend.tail, 1, sizeof backend.tail);
}

// The table of tolerances has too many entries.
// refused: table tenon.selftest.tolerances/1: count is 4294967295; at most 1048576 entries are
//   accepted
CASE(table_tolerances_count) { tolerances_table.count = UINT32_MAX; }

// The table of tolerances has a count and no entries.
// refused: table tenon.selftest.tolerances/1: its list of entries is NULL
CASE(table_tolerances_null) { tolerances_table.descs = NULL; }

// The table of tolerances ends before its entries.
// refused: table tenon.selftest.tolerances/1: struct_size is 8; {tenon_ops_table} is needed
CASE(table_tolerances_size_small) { tolerances_table.struct_size = 8; }

// The table of vjps has four thousand million entries.
// refused: table tenon.vjps/1: count is 4294967295; at most 1048576 entries are accepted
CASE(table_vjps_count) { rules_table.count = UINT32_MAX; }

// An entry in the table of vjps is NULL.
// refused: backward rule 1 is NULL
CASE(table_vjps_entry_null) {
  rules_table.count = 2;
  rules[1] = NULL;
}

// The table of vjps has a count and no entries.
// refused: table tenon.vjps/1: its list of entries is NULL
CASE(table_vjps_null) { rules_table.descs = NULL; }

// The table of vjps says it ends before its entries.
// refused: table tenon.vjps/1: struct_size is 8; {tenon_ops_table} is needed
CASE(table_vjps_size_small) { rules_table.struct_size = 8; }

// The table of vjps says it has no bytes.
// refused: table tenon.vjps/1: struct_size is 0; {tenon_ops_table} is needed
CASE(table_vjps_size_zero) { rules_table.struct_size = 0; }

// Descriptors of a later version, whose new members all read as before.
// opens: op hostile.finite was passed over for role 'isfinite': tenon.isfinite of plugin tenon.ops
//   holds it
CASE(descriptors_with_zero_tails) {
  twice_op.desc.struct_size = sizeof twice_op;
  twice_kernel.desc.struct_size = sizeof twice_kernel;
  twice_rule.desc.struct_size = sizeof twice_rule;
  sgd.desc.struct_size = sizeof sgd;
  numbers.desc.struct_size = sizeof numbers;
}
