// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_flags.c: a descriptor (dataset) with a flag that this Tenon does not
// know.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers needs a newer Tenon: unknown flags 1073741824, reserved 0
#include "../hostile.h"

void spoil(void) { numbers.desc.flags |= 1u << 30; }
