// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_name_plain.c: a name (optimizer) without a vendor.
// needs: optimizer hostile.sgd
// refused: optimizer 0: the name 'plain' is not of the form vendor.name in small letters, digits
//   and '_'
#include "../hostile.h"

void spoil(void) { sgd.desc.name = text_of("plain"); }
