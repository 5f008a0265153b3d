// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/throws_launch_memory.cc: a kernel in C++ that runs out of memory.
// error: TENON_E_MEMORY hostile.twice: out of memory
#include "../hostile.h"

#include <stdexcept>
#include <tenon/sdk/kernel.hpp>
#include <tenon/sdk/op.hpp>

namespace sdk = tenon::sdk;

static void launch(const sdk::Launch&) { throw std::bad_alloc(); }

void spoil(void) { twice_kernel.desc.launch = sdk::launch_fn<launch>; }
