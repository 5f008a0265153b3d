// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/throws_raw_query.cc: throws out of its query.
// failed: it has thrown an exception: up and away
#include "../hostile.h"

#include <stdexcept>

void spoil(void) { throw std::runtime_error("up and away"); }
