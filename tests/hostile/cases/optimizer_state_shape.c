// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_state_shape.c: an optimizer with a state of no known shape.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: state 'momentum' has unknown shape policy 5
#include "../hostile.h"

void spoil(void) { states[0].shape = 5; }
