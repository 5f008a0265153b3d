// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/throws_workspace.cc: a kernel in C++ that throws when it is asked for its
// scratch.
// error: TENON_E_PLUGIN hostile.twice: how much is much
#include "../hostile.h"

#include <stdexcept>
#include <tenon/sdk/kernel.hpp>
#include <tenon/sdk/op.hpp>

namespace sdk = tenon::sdk;

static uint64_t bytes(const sdk::Args&) { throw std::runtime_error("how much is much"); }

void spoil(void) { twice_kernel.desc.workspace = sdk::workspace_fn<bytes>; }
