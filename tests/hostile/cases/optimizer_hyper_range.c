// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_hyper_range.c: an optimizer that starts outside of its own range.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: hyper-parameter 'lr' starts at 2.000000, outside of its range
//   0.000000 to 1.000000
#include "../hostile.h"

void spoil(void) { hypers[0].initial = 2; }
