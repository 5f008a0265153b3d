// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_states_many.c: an optimizer with four thousand million states.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: n_states is 4294967295; at most 64 are possible
#include "../hostile.h"

void spoil(void) { sgd.desc.n_states = UINT32_MAX; }
