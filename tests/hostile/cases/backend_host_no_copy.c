// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_host_no_copy.c: a device that claims to be host memory and cannot
// copy in it.
// needs: device hostile
// manifest: {"op": "remove", "path": "/kernels/1"}
// refused: device hostile: a backend must have kernels for the roles 'copy' and 'fill'; this plugin
//   registers none of tenon.copy for it that takes any strides on both sides
#include "../hostile.h"

void spoil(void) {
  backend.table.flags = TENON_BACKEND_HOST_MEMORY;
  kernels_table.count = 1;
}
