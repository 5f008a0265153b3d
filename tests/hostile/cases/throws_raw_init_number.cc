// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/throws_raw_init_number.cc: throws a number out of its init.
// failed: it has thrown
#include "../hostile.h"

#include <stdexcept>

static tenon_status init(const tenon_host*, void**, tenon_diag*) { throw 42; }

void spoil(void) { answer.init = init; }
