// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/throws_launch_number.cc: a kernel in C++ that throws a number.
// error: TENON_E_PLUGIN hostile.twice: unknown exception in a plugin
#include "../hostile.h"

#include <stdexcept>
#include <tenon/sdk/kernel.hpp>
#include <tenon/sdk/op.hpp>

namespace sdk = tenon::sdk;

static void launch(const sdk::Launch&) { throw 42; }

void spoil(void) { twice_kernel.desc.launch = sdk::launch_fn<launch>; }
