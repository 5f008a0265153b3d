// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_name_plain.c: a name (op) without a vendor.
// needs: op hostile.twice
// refused: op 0: the name 'plain' is not of the form vendor.name in small letters, digits and '_'
#include "../hostile.h"

void spoil(void) { twice_op.desc.name = text_of("plain"); }
