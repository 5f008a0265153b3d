// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_flags.c: a descriptor (optimizer) with a flag that this Tenon does
// not know.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd needs a newer Tenon: unknown flags 1073741824
#include "../hostile.h"

void spoil(void) { sgd.desc.flags |= 1u << 30; }
