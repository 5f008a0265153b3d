// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_name_zero_byte.c: an op whose name goes on behind a zero byte.
// refused: op 0: the name 'hostile.twice\x00.evil' is not of the form vendor.name in small letters,
//   digits and '_'
#include "../hostile.h"

void spoil(void) { twice_op.desc.name = (tenon_string)TEXT("hostile.twice\0.evil"); }
