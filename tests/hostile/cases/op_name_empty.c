// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_name_empty.c: an op without a name.
// refused: op 0: the name '' is not of the form vendor.name in small letters, digits and '_'
#include "../hostile.h"

void spoil(void) { twice_op.desc.name.length = 0; }
