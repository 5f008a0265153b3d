// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_unknown_revision.c: a kernel for a revision that its op does not have,
// beside good entries.
// opens: op hostile.finite was passed over for role 'isfinite': tenon.isfinite of plugin tenon.ops
//   holds it | kernel for unknown op hostile.twice revision 5 on cpu was passed over
#include "../hostile.h"

void spoil(void) {
  static long_kernel lost;
  lost = twice_kernel;
  lost.desc.revision = 5;
  kernels[kernels_table.count++] = &lost.desc;
}
