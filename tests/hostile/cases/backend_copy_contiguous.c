// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_copy_contiguous.c: a device whose copy takes row-major operands only.
// needs: device hostile
// refused: device hostile: a backend must have kernels for the roles 'copy' and 'fill'; this plugin
//   registers none of tenon.copy for it that takes any strides on both sides
#include "../hostile.h"

void spoil(void) { copy_slots[0].layout = copy_slots[1].layout = TENON_LAYOUT_CONTIGUOUS; }
