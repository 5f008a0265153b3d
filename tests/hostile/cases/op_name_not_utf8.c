// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_name_not_utf8.c: an op whose name is no UTF-8.
// refused: op 0: the name 'hostile.\xff\xfe' is not of the form vendor.name in small letters,
//   digits and '_'
#include "../hostile.h"

void spoil(void) { twice_op.desc.name = text_of("hostile.\xff\xfe"); }
