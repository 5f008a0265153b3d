// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_name_plain.c: a name (vjp) without a vendor.
// refused: backward rule 0: the name 'plain' is not of the form vendor.name in small letters,
//   digits and '_'
#include "../hostile.h"

void spoil(void) { twice_rule.desc.op = text_of("plain"); }
