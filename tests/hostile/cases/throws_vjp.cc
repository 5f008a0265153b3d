// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/throws_vjp.cc: a backward rule in C++ that throws.
// needs: backward hostile.twice
// error: TENON_E_PLUGIN hostile.twice: no way back
#include "../hostile.h"

#include <stdexcept>
#include <tenon/sdk/kernel.hpp>
#include <tenon/sdk/op.hpp>

namespace sdk = tenon::sdk;

static void vjp(sdk::Vjp&) { throw std::runtime_error("no way back"); }

void spoil(void) { twice_rule.desc.vjp = sdk::vjp_fn<vjp>; }
