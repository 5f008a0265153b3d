// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/throws_raw_init.cc: throws out of its init.
// failed: it has thrown an exception: up and away
#include "../hostile.h"

#include <stdexcept>

static tenon_status init(const tenon_host*, void**, tenon_diag*) {
  throw std::runtime_error("up and away");
}

void spoil(void) { answer.init = init; }
