// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/throws_compose.cc: a composition in C++ that throws.
// error: TENON_E_PLUGIN hostile.twice: no idea
#include "../hostile.h"

#include <stdexcept>
#include <tenon/sdk/kernel.hpp>
#include <tenon/sdk/op.hpp>

namespace sdk = tenon::sdk;

static void compose(sdk::Compose&) { throw std::runtime_error("no idea"); }

void spoil(void) {
  twice_op.desc.compose = sdk::compose_fn<compose>;
  twice_kernel.desc.dtype_rows = float_rows + 1;
  float_rows[1] = TENON_DTYPE_F64;
}
