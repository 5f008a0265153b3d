// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_role_signature.c: an op with a role that other operands go with.
// manifest: {"op": "add", "path": "/ops/0/role", "value": "add"}
// refused: op hostile.twice: the holder of role 'add' must have 2 inputs, 0 attributes and 1
//   outputs as tenon/plugin.h says; its schema is twice(x: T[...]) -> T[...] where T: float
#include "../hostile.h"

void spoil(void) { twice_op.desc.role = TENON_ROLE_ADD; }
