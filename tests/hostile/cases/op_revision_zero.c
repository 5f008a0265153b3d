// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_revision_zero.c: an op of revision 0.
// refused: op 0: revision is 0; revisions begin with 1
#include "../hostile.h"

void spoil(void) { twice_op.desc.revision = 0; }
