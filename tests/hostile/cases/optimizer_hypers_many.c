// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_hypers_many.c: an optimizer with a thousand hyper-parameters.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: n_hypers is 1000; at most 64 are possible
#include "../hostile.h"

void spoil(void) { sgd.desc.n_hypers = 1000; }
