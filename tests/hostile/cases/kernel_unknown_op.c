// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_unknown_op.c: a kernel for an op that nobody offers, beside good
// entries.
// manifest: {"op": "add", "path": "/kernels/0/ops/-", "value": "nobody.knows"}
// opens: op hostile.finite was passed over for role 'isfinite': tenon.isfinite of plugin tenon.ops
//   holds it | kernel for unknown op nobody.knows on cpu was passed over
#include "../hostile.h"

void spoil(void) {
  static long_kernel lost;
  lost = twice_kernel;
  lost.desc.op = text_of("nobody.knows");
  kernels[kernels_table.count++] = &lost.desc;
}
