// SPDX-License-Identifier: Apache-2.0
// plugins/optim/lion.cc: Lion: steps of one size, in the direction of a sign.
//
// With g the gradient and p the parameter:
//
//   d = sign(beta1 * m + (1 - beta1) * g)
//   m = beta2 * m + (1 - beta2) * g
//   p = (1 - lr * weight_decay) * p - lr * d
//
// Source: X. Chen et al., "Symbolic discovery of optimization algorithms", NeurIPS 2023, program
// 1 (algorithm 2). The sign of 0 is 0.
//
// Canonical arithmetic: in C = f32 for f16, bf16 and f32 parameters and f64 for f64; scalars in
// f64, each rounded to C once; each operation rounded by itself, in the order above. A step of
// another sign is another step: where beta1 * m nearly cancels the gradient, machines that round
// otherwise part.
// A 16-bit value is rounded where it is stored.
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include "compose.hpp"
#include "rule.hpp"
#include "samples.hpp"

namespace {

using namespace tenon::optim;
namespace sdk = tenon::sdk;

constexpr Hyper kHypers[] = {
    learning_rate(1e-4),
    {"beta1", "share of the mean in the direction of the step", 0.9, 0, kBelowOne},
    {"beta2", "share of the mean of gradients that is kept", 0.99, 0, kBelowOne},
    decoupled_decay(0),
};
constexpr State kStates[] = {
    {"exp_avg", "running mean of gradients, m"},
};
constexpr Rule kRule = {
    .name = "tenon.lion",
    .doc =
        "Lion with decoupled weight decay, as its authors publish it. Rows of sparse gradients "
        "are updated alone, with their means.",
    .hypers = kHypers,
    .states = kStates};

template <bool rows>
void compose(sdk::Compose& c) {
  const double beta1 = c.attrs.real(kAttr<kRule, "beta1">),
               beta2 = c.attrs.real(kAttr<kRule, "beta2">);
  const double weight_decay = c.attrs.real(kAttr<kRule, "weight_decay">);
  for (uint32_t item = 0; item < c.in(0).count; ++item) {
    Update<rows> u(c, 1, item);
    const auto p = u.hold_param(), m = u.hold_state(0);
    const sdk::Value g = u.grad();
    const sdk::Value mixed = u.add(u.mul(m.now, beta1), u.mul(g, 1 - beta1));
    const sdk::Value direction = u.call("tenon.sign", mixed);
    u.scale(m, beta2);
    u.add_product(m, g, 1.0, 1 - beta2);
    if (weight_decay != 0) u.scale(p, u.to_c(u.sub(1.0, u.mul(u.lr(), weight_decay))));
    u.add_product(p, direction, u.to_c(u.call("tenon.neg", u.lr())), 1.0);
    u.keep(m);
    u.keep(p);
    u.count_step();
  }
}

constexpr tenon_op_desc kOps[] = {
    step_op<kRule, compose<false>>(R"(One step of Lion on each parameter, in place.

    d = sign(beta1 * m + (1 - beta1) * g)
    m = beta2 * m + (1 - beta2) * g
    p = (1 - lr * weight_decay) * p - lr * d

Each entry of `step` counts the steps of its parameter and is advanced by one.

Source: Chen et al., NeurIPS 2023, program 1.
Arithmetic: f32 for 16-bit and f32 parameters, f64 for f64; each operation rounded by itself.)"),
    rows_op<kRule, compose<true>>(
        R"(One step of `tenon.lion_step` on the given rows of each parameter alone.

`values` holds the gradients of the rows `indices`; of a row given twice the last one counts. A row
that is not given is left as it is, its mean included. The step count belongs to the parameter, not
to the row, and is advanced by one.)")};

constexpr tenon_optimizer_desc kOptimizers[] = {optimizer<kRule>()};

constexpr std::string_view kRanges[] = {""};
constexpr RefusedAttrs kRefused[] = {{"beta1=1.0", "beta1 must be at least 0 and below 1"},
                                     {"beta2=nan", "beta2 must be at least 0 and below 1"},
                                     {"weight_decay=-1.0", "weight_decay must be at least 0"}};
constexpr RuleSamples kCalls = {.states = kRanges,
                                .some_attrs = "beta1=0.5, weight_decay=0.1",
                                .other_attrs = "beta2=0.5",
                                .refused = kRefused};
constexpr auto kSamples = kRuleCalls<kRule, kCalls>.samples();

constexpr tenon_optimizer_sample kOptimizerSamples[] = {
    sdk::optimizer_sample("tenon.lion", "f32[3,2], f32[5] | lr=0.1", 3),
    sdk::optimizer_sample("tenon.lion", "f64[4] | lr=0.01, weight_decay=0.1", 5),
    sdk::optimizer_sample("tenon.lion",
                          "f64[2,3,1,2], f64[], f64[1] | lr=0.05, beta1=0.5, beta2=0.75", 4),
    sdk::optimizer_refused("tenon.lion", "f32[2] | momentum=0.1", TENON_E_ATTRIBUTE,
                           "no hyper-parameter"),
    sdk::optimizer_refused("tenon.lion", "f32[2] | lr=-1.0", TENON_E_ATTRIBUTE,
                           "\"lr\" is out of range"),
    sdk::optimizer_refused("tenon.lion", "f32[2] | beta1=1.0", TENON_E_ATTRIBUTE,
                           "\"beta1\" is out of range")};

constexpr auto kTolerances = step_tolerances<kRule>();

}  // namespace

TENON_UNIT(lion) = {.ops = kOps,
                    .samples = kSamples,
                    .optimizers = kOptimizers,
                    .tolerances = kTolerances,
                    .optimizer_samples = kOptimizerSamples};
