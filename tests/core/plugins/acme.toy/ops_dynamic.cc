// SPDX-License-Identifier: Apache-2.0
// tests/core/plugins/acme.toy/ops_dynamic.cc: an op as large as its operand says, and one that
// reads numbers without having said so.
#include <tenon/ext/draft/dynamic.h>

#include "ops.hpp"

namespace {

using namespace acme;

tenon_status ones(tenon_call* call, const tenon_value* inputs, uint32_t n_inputs,
                  const tenon_value* attrs, uint32_t n_attrs) {
  return sdk::guarded(call, [&] {
    const auto* numbers = static_cast<const tenon_host_numbers*>(
        call->host->get_interface(call->host, TENON_HOST_NUMBERS, TENON_NUL));
    int64_t size = 0;
    sdk::check(numbers->read(call, inputs[0].as.tensor, &size));
    sdk::Compose c(call, inputs, n_inputs, attrs, n_attrs);
    c.set(0, c.call("acme.full", {}, {std::span<const int64_t>(&size, 1), 1}));
  });
}

void infer_at_most_4(const sdk::Args&, std::span<tenon_meta> out) {
  out[0].rank = 1;
  out[0].shape[0] = 4;
}

constexpr tenon_op_desc ops[] = {sdk::op({.name = "acme.ones",
                                          .schema = "ones(size: I[]) -> f32[N]",
                                          .doc = kDoc,
                                          .flags = TENON_OP_DYNAMIC_OUT,
                                          .infer = sdk::infer_fn<infer_at_most_4>,
                                          .compose = ones}),
                                 sdk::op({.name = "acme.peek",
                                          .schema = "peek(size: I[]) -> f32[N]",
                                          .doc = kDoc,
                                          .infer = sdk::infer_fn<infer_at_most_4>,
                                          .compose = ones})};

}  // namespace

TENON_UNIT(ops_dynamic) = {.ops = ops};
