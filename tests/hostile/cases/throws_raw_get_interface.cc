// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/throws_raw_get_interface.cc: throws when it is asked for its tables; what
// init made is released.
// failed: it has thrown an exception: up and away
#include "../hostile.h"

#include <stdexcept>

static const void* get(void*, const char*, uint64_t) { throw std::runtime_error("up and away"); }

void spoil(void) { answer.get_interface = get; }
