// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/throws_random_words.cc: a random op in C++ that throws when it is asked how
// much it draws.
// error: TENON_E_PLUGIN hostile.twice: lost count
#include "../hostile.h"

#include <stdexcept>
#include <tenon/sdk/kernel.hpp>
#include <tenon/sdk/op.hpp>

namespace sdk = tenon::sdk;

static uint64_t words(const sdk::Args&) { throw std::runtime_error("lost count"); }

void spoil(void) {
  twice_op.desc.flags = TENON_OP_RANDOM;
  twice_op.desc.random_words = sdk::words_fn<words>;
}
