// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_hyper_flags.c: an optimizer with a hyper-parameter with a flag that
// Tenon does not know.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: hyper-parameter 'nesterov' needs a newer Tenon: unknown flags 512
#include "../hostile.h"

void spoil(void) { hypers[1].flags = 1u << 9; }
