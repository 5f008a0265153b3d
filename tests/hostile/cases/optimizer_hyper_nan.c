// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_hyper_nan.c: an optimizer that starts at no number.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: hyper-parameter 'lr' starts at nan, outside of its range 0.000000
//   to 1.000000
#include "../hostile.h"

#include <math.h>

void spoil(void) { hypers[0].initial = NAN; }
