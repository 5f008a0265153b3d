// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_hypers_null.c: an optimizer with a count of hyper-parameters and
// none.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: `hypers` is NULL, but n_hypers is 2
#include "../hostile.h"

void spoil(void) { sgd.desc.hypers = NULL; }
