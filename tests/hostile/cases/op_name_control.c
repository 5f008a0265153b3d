// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_name_control.c: an op whose name would clear a terminal.
// refused: op 0: the name 'hostile.\x1b[2J' is not of the form vendor.name in small letters, digits
//   and '_'
#include "../hostile.h"

void spoil(void) { twice_op.desc.name = text_of("hostile.\x1b[2J"); }
