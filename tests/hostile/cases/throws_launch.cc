// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/throws_launch.cc: a kernel in C++ that throws.
// error: TENON_E_PLUGIN hostile.twice: the tape is full
#include "../hostile.h"

#include <stdexcept>
#include <tenon/sdk/kernel.hpp>
#include <tenon/sdk/op.hpp>

namespace sdk = tenon::sdk;

static void launch(const sdk::Launch&) { throw std::runtime_error("the tape is full"); }

void spoil(void) { twice_kernel.desc.launch = sdk::launch_fn<launch>; }
