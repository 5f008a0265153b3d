// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_role_attribute.c: an op with a role whose attributes it does not have.
// manifest: {"op": "add", "path": "/ops/0/role", "value": "cast"}
// refused: op hostile.twice: the holder of role 'cast' must have 1 inputs, 1 attributes and 1
//   outputs as tenon/plugin.h says; its schema is twice(x: T[...]) -> T[...] where T: float
#include "../hostile.h"

void spoil(void) { twice_op.desc.role = TENON_ROLE_CAST; }
