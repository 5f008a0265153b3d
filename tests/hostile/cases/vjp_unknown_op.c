// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_unknown_op.c: a backward rule for an op that nobody offers, beside good
// entries.
// manifest: {"op": "add", "path": "/vjps/-", "value": "nobody.knows"}
// opens: op hostile.finite was passed over for role 'isfinite': tenon.isfinite of plugin tenon.ops
//   holds it | backward rule of nobody.knows was passed over: the op is unknown
#include "../hostile.h"

void spoil(void) {
  static long_rule lost;
  lost = twice_rule;
  lost.desc.op = text_of("nobody.knows");
  rules[rules_table.count++] = &lost.desc;
}
