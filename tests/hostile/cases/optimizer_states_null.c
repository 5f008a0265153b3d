// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_states_null.c: an optimizer with a count of states and none.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: `states` is NULL, but n_states is 1
#include "../hostile.h"

void spoil(void) { sgd.desc.states = NULL; }
