// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_state_dtype.c: an optimizer with a state of no known dtype.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: state 'momentum' has unknown dtype 3
#include "../hostile.h"

void spoil(void) { states[0].dtype = 3; }
