// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_name_twice.c: an optimizer in which a state and a hyper-parameter
// have one name.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: 'lr' stands there twice
#include "../hostile.h"

void spoil(void) { states[0].name = text_of("lr"); }
