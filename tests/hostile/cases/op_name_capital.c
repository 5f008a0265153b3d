// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_name_capital.c: an op whose name has capital letters.
// refused: op 0: the name 'Hostile.Twice' is not of the form vendor.name in small letters, digits
//   and '_'
#include "../hostile.h"

void spoil(void) { twice_op.desc.name = text_of("Hostile.Twice"); }
