// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_reserved.c: a descriptor (dataset) that fills in a reserved member.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers needs a newer Tenon: unknown flags 0, reserved 6
#include "../hostile.h"

void spoil(void) { numbers.desc.reserved = 6; }
