// SPDX-License-Identifier: Apache-2.0
// plugins/optim/adadelta.cc: Adadelta: steps as large as the root mean square of the steps before.
//
// With g the gradient and p the parameter:
//
//   g = g + weight_decay * p                  where weight_decay != 0
//   v = rho * v + (1 - rho) * g * g
//   d = sqrt(u + eps) / sqrt(v + eps) * g
//   u = rho * u + (1 - rho) * d * d
//   p = p - lr * d
//
// Source: M. D. Zeiler, "ADADELTA: an adaptive learning rate method", arXiv:1212.5701, algorithm
// 1; in the order of torch.optim.Adadelta.
//
// Canonical arithmetic: in C = f32 for f16, bf16 and f32 parameters and f64 for f64; scalars in
// f64, each rounded to C once; each operation rounded by itself, in the order above. A 16-bit value
// is rounded where it is stored.
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include "compose.hpp"
#include "rule.hpp"
#include "samples.hpp"

namespace {

using namespace tenon::optim;
namespace sdk = tenon::sdk;

constexpr Hyper kHypers[] = {
    learning_rate(1.0),
    {"rho", "share of the means that is kept", 0.9, 0, 1},
    {"eps", "added below the roots, against division by 0", 1e-6},
    kL2Penalty,
};
constexpr State kStates[] = {
    {"square_avg", "running mean of squared gradients, v"},
    {"acc_delta", "running mean of squared steps, u"},
};
constexpr Rule kRule = {
    .name = "tenon.adadelta",
    .doc =
        "Adadelta with L2 penalty, as torch.optim.Adadelta. Rows of sparse gradients are updated "
        "alone, with their means.",
    .hypers = kHypers,
    .states = kStates};

template <bool rows>
void compose(sdk::Compose& c) {
  const double rho = c.attrs.real(kAttr<kRule, "rho">), eps = c.attrs.real(kAttr<kRule, "eps">);
  const double weight_decay = c.attrs.real(kAttr<kRule, "weight_decay">);
  for (uint32_t item = 0; item < c.in(0).count; ++item) {
    Update<rows> u(c, 2, item);
    const auto p = u.hold_param(), v = u.hold_state(0), moved = u.hold_state(1);
    const sdk::Value back = u.to_c(u.call("tenon.neg", u.lr()));
    sdk::Value g = u.grad();
    if (weight_decay != 0) g = u.add(g, u.mul(p.now, weight_decay));
    u.scale(v, rho);
    u.add_product(v, g, g, 1 - rho);
    const sdk::Value below = u.call("tenon.sqrt", u.add(v.now, eps));
    const sdk::Value above = u.call("tenon.sqrt", u.add(moved.now, eps));
    const sdk::Value d = u.mul(u.div(above, below), g);
    u.scale(moved, rho);
    u.add_product(moved, d, d, 1 - rho);
    u.add_product(p, d, back, 1.0);
    u.keep(v);
    u.keep(moved);
    u.keep(p);
    u.count_step();
  }
}

constexpr tenon_op_desc kOps[] = {
    step_op<kRule, compose<false>>(R"(One step of Adadelta on each parameter, in place.

    g = g + weight_decay * p
    v = rho * v + (1 - rho) * g * g
    d = sqrt(u + eps) / sqrt(v + eps) * g
    u = rho * u + (1 - rho) * d * d
    p = p - lr * d

Each entry of `step` counts the steps of its parameter and is advanced by one.

Source: Zeiler, arXiv:1212.5701, in the order of `torch.optim.Adadelta`.
Arithmetic: f32 for 16-bit and f32 parameters, f64 for f64; each operation rounded by itself.)"),
    rows_op<kRule, compose<true>>(
        R"(One step of `tenon.adadelta_step` on the given rows of each parameter alone.

`values` holds the gradients of the rows `indices`; of a row given twice the last one counts. A row
that is not given is left as it is, its means included. The step count belongs to the parameter,
not to the row, and is advanced by one.)")};

constexpr tenon_optimizer_desc kOptimizers[] = {optimizer<kRule>()};

constexpr std::string_view kRanges[] = {"(0,1)", "(0,1)"};
constexpr RefusedAttrs kRefused[] = {{"rho=1.5", "rho must be from 0 to 1"},
                                     {"eps=nan", "eps must be at least 0"},
                                     {"weight_decay=-1.0", "weight_decay must be at least 0"}};
constexpr RuleSamples kCalls = {.states = kRanges,
                                .some_attrs = "rho=0.5, weight_decay=0.1",
                                .other_attrs = "eps=1e-3",
                                .refused = kRefused};
constexpr auto kSamples = kRuleCalls<kRule, kCalls>.samples();

constexpr tenon_optimizer_sample kOptimizerSamples[] = {
    sdk::optimizer_sample("tenon.adadelta", "f32[3,2], f32[5]", 3),
    sdk::optimizer_sample("tenon.adadelta", "f64[4] | lr=0.5, weight_decay=0.1, rho=0.8", 5),
    sdk::optimizer_sample("tenon.adadelta", "f64[2,3,1,2], f64[], f64[1] | lr=2.0, eps=1e-3", 4),
    sdk::optimizer_refused("tenon.adadelta", "f32[2] | alpha=0.1", TENON_E_ATTRIBUTE,
                           "no hyper-parameter"),
    sdk::optimizer_refused("tenon.adadelta", "f32[2] | lr=-1.0", TENON_E_ATTRIBUTE,
                           "\"lr\" is out of range"),
    sdk::optimizer_refused("tenon.adadelta", "f32[2] | rho=1.5", TENON_E_ATTRIBUTE,
                           "\"rho\" is out of range")};

constexpr auto kTolerances = step_tolerances<kRule>();

}  // namespace

TENON_UNIT(adadelta) = {.ops = kOps,
                        .samples = kSamples,
                        .optimizers = kOptimizers,
                        .tolerances = kTolerances,
                        .optimizer_samples = kOptimizerSamples};
