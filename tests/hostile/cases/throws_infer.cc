// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/throws_infer.cc: a shape rule in C++ that throws.
// error: TENON_E_PLUGIN hostile.twice: no shape today
#include "../hostile.h"

#include <stdexcept>
#include <tenon/sdk/kernel.hpp>
#include <tenon/sdk/op.hpp>

namespace sdk = tenon::sdk;

static void infer(const sdk::Args&, std::span<tenon_meta>) {
  throw std::runtime_error("no shape today");
}

void spoil(void) {
  twice_op.desc.shape_rule = TENON_SHAPE_CALLBACK;
  twice_op.desc.infer = sdk::infer_fn<infer>;
}
