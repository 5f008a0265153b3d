// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/sample_unknown_op.c: a sample of an op that nobody offers, beside good
// entries.
// opens: op hostile.finite was passed over for role 'isfinite': tenon.isfinite of plugin tenon.ops
//   holds it | sample for unknown op nobody.knows was passed over
#include "../hostile.h"

void spoil(void) {
  samples[1] = samples[0];
  samples[1].op = text_of("nobody.knows");
  samples_table.count = 2;
}
