// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_no_kernels.c: a device without any kernel.
// needs: device hostile
// manifest: {"op": "remove", "path": "/kernels/1"}
// refused: device hostile: a backend must have kernels for the roles 'copy' and 'fill'; this plugin
//   registers none of tenon.copy for it that takes any strides on both sides
#include "../hostile.h"

void spoil(void) { kernels_table.count = 1; }
