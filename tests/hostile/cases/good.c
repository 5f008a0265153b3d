// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/good.c: nothing is wrong; what all other cases stand on.
// opens: op hostile.finite was passed over for role 'isfinite': tenon.isfinite of plugin tenon.ops
//   holds it
#include "../hostile.h"

void spoil(void) {}
