// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/throws_launch_failure.cc: a kernel in C++ that throws a failure with its
// fields.
// error: TENON_E_DATA hostile.twice: x holds what it must not
#include "../hostile.h"

#include <stdexcept>
#include <tenon/sdk/kernel.hpp>
#include <tenon/sdk/op.hpp>

namespace sdk = tenon::sdk;

static void launch(const sdk::Launch&) {
  throw sdk::Failure{TENON_E_DATA, "x holds what it must not", "x", "good numbers", "bad ones"};
}

void spoil(void) { twice_kernel.desc.launch = sdk::launch_fn<launch>; }
