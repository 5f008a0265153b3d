// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_no_fill.c: a device without the kernel that fills memory.
// needs: device hostile
// manifest: {"op": "replace", "path": "/kernels/1/ops", "value": ["tenon.copy"]}
// refused: device hostile: a backend must have kernels for the roles 'copy' and 'fill'; this plugin
//   registers none of tenon.full for it
#include "../hostile.h"

void spoil(void) { kernels_table.count = 2; }
