// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_sample_flags.c: a sample of an optimizer with flags nobody knows.
// refused: optimizer sample 0 needs a newer Tenon: unknown flags 1
#include "../hostile.h"

void spoil(void) { sgd_run.desc.flags = 1; }
