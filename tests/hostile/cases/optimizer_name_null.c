// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_name_null.c: a name (optimizer) that is NULL but has a length.
// needs: optimizer hostile.sgd
// refused: optimizer 0: a string is NULL but has length 11
#include "../hostile.h"

void spoil(void) { sgd.desc.name.data = NULL; }
