// SPDX-License-Identifier: Apache-2.0
// tests/evolution/plugins/evo.rules/rules.cc: a newer backward rule of evo.gate, which wants the
// aux output that evo.old does not know.
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

namespace {

namespace sdk = tenon::sdk;

void gate_vjp(sdk::Vjp& v) { v.grad(0, v.call("tenon.mul", {v.dy(), v.out(1)})); }

constexpr tenon_vjp_need slope[] = {sdk::need({.outputs = sdk::bit(1)})};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = "evo.gate",
                                             .needs = slope,
                                             .vjp = sdk::vjp_fn<gate_vjp>,
                                             .n_outputs = 2,
                                             .priority = 1})};

}  // namespace

TENON_UNIT(rules) = {.vjps = vjps};
