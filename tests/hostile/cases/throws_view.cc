// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/throws_view.cc: a view in C++ that throws.
// error: TENON_E_PLUGIN hostile.twice: cannot see
#include "../hostile.h"

#include <stdexcept>
#include <tenon/sdk/kernel.hpp>
#include <tenon/sdk/op.hpp>

namespace sdk = tenon::sdk;

static void view(const sdk::Args&, tenon_view_result&) { throw std::runtime_error("cannot see"); }

void spoil(void) { twice_op.desc.view = sdk::view_fn<view>; }
