// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_role_unknown.c: an op with a role that Tenon does not have.
// refused: op hostile.twice: role 77 is unknown; the plugin needs a newer Tenon
#include "../hostile.h"

void spoil(void) { twice_op.desc.role = 77; }
