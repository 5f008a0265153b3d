// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_no_copy.c: a device without the kernel that every movement of data
// needs.
// needs: device hostile
// manifest: {"op": "replace", "path": "/kernels/1/ops", "value": ["tenon.full"]}
// refused: device hostile: a backend must have kernels for the roles 'copy' and 'fill'; this plugin
//   registers none of tenon.copy for it that takes any strides on both sides
#include "../hostile.h"

void spoil(void) {
  kernels[1] = &full_kernel.desc;
  kernels_table.count = 2;
}
