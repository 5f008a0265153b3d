// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/throws_dataset.cc: a dataset in C++ that throws while it reads.
// needs: dataset hostile.numbers
// error: TENON_E_PLUGIN hostile.numbers: sample 0: page 7 is missing
#include "../hostile.h"

#include <stdexcept>
#include <tenon/sdk/kernel.hpp>
#include <tenon/sdk/op.hpp>

namespace sdk = tenon::sdk;

static tenon_status get(tenon_call* call, void*, const int64_t*, int64_t, void* const*) {
  return sdk::guarded(call, [] { throw std::runtime_error("page 7 is missing"); });
}

void spoil(void) { numbers.desc.get = get; }
