// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_role_two_holders.c: two ops of one plugin with the same role.
// manifest: {"op": "add", "path": "/ops/0/role", "value": "isfinite"}
// refused: role 'isfinite' is claimed by two ops: hostile.twice and hostile.finite
#include "../hostile.h"

void spoil(void) {
  twice_op.desc.role = TENON_ROLE_ISFINITE;
  twice_op.desc.schema = text_of("twice(x: T[...]) -> bool[...] where T: float");
}
