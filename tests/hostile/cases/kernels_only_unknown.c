// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernels_only_unknown.c: a kernel of its own op comes with a revision that is
// not there, and no other.
// error: TENON_E_NO_KERNEL hostile.twice: no kernel for device cpu:0 and dtypes (f32), and no
//   composition: no plugin has a kernel for this op
#include "../hostile.h"

void spoil(void) { twice_kernel.desc.revision = 5; }
