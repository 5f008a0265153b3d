// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/descriptors_with_zero_tails.c: descriptors of a later version, whose new
// members all read as before.
// opens: op hostile.finite was passed over for role 'isfinite': tenon.isfinite of plugin tenon.ops
//   holds it
#include "../hostile.h"

void spoil(void) {
  twice_op.desc.struct_size = sizeof twice_op;
  twice_kernel.desc.struct_size = sizeof twice_kernel;
  twice_rule.desc.struct_size = sizeof twice_rule;
  sgd.desc.struct_size = sizeof sgd;
  numbers.desc.struct_size = sizeof numbers;
}
