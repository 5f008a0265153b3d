// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/throws_prepare.cc: a kernel in C++ that throws while it prepares.
// error: TENON_E_PLUGIN hostile.twice: not prepared
#include "../hostile.h"

#include <stdexcept>
#include <tenon/sdk/kernel.hpp>
#include <tenon/sdk/op.hpp>

namespace sdk = tenon::sdk;

static tenon_status prepare(tenon_call* call, const tenon_launch*, void**) {
  return sdk::guarded(call, [] { throw std::runtime_error("not prepared"); });
}
static void release_prepared(void*, void*) {}

void spoil(void) {
  twice_kernel.desc.prepare = prepare;
  twice_kernel.desc.release_prepared = release_prepared;
}
