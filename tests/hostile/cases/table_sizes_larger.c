// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_sizes_larger.c: its tables are longer than this Tenon knows: what lies
// behind is not read.
// opens: op hostile.finite was passed over for role 'isfinite': tenon.isfinite of plugin tenon.ops
//   holds it
#include "../hostile.h"

#include <string.h>

void spoil(void) {
  ops_table.struct_size += 8;
  kernels_table.struct_size += 8;
  backend.table.struct_size = sizeof backend;
  memset(backend.tail, 1, sizeof backend.tail);
}
