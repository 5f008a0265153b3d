// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_hyper_name.c: an optimizer with a hyper-parameter whose name is
// none.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: the name 'learning rate' is not one of [a-z0-9_]
#include "../hostile.h"

void spoil(void) { hypers[0].name = text_of("learning rate"); }
