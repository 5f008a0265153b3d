// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_copy_of_another.c: a device whose copy is for another kind of device.
// needs: device hostile
// manifest: {"op": "replace", "path": "/kernels/1/ops", "value": ["tenon.full"]}
// manifest: {"op": "add", "path": "/kernels/-", "value": {"device": "other", "ops":
//   ["tenon.copy"]}}
// refused: device hostile: a backend must have kernels for the roles 'copy' and 'fill'; this plugin
//   registers none of tenon.copy for it that takes any strides on both sides
#include "../hostile.h"

void spoil(void) { copy_kernel.desc.device = text_of("other"); }
