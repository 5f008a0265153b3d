// SPDX-License-Identifier: Apache-2.0
// plugins/optim/adagrad.cc: Adagrad: steps divided by the root of the sum of all squared gradients.
//
// With g the gradient and p the parameter:
//
//   t = t + 1
//   g = g + weight_decay * p                       where weight_decay != 0
//   s = s + g * g
//   p = p - lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps)
//
// Source: J. Duchi, E. Hazan, Y. Singer, "Adaptive subgradient methods for online learning and
// stochastic optimization", JMLR 12, 2011; in the order of torch.optim.Adagrad.
//
// Canonical arithmetic: in C = f32 for f16, bf16 and f32 parameters and f64 for f64; scalars in
// f64, each rounded to C once; each operation rounded by itself: p = p + (-rate * g) / (sqrt(s) +
// eps). A 16-bit value is rounded where it is stored.
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include "compose.hpp"
#include "rule.hpp"
#include "samples.hpp"

namespace {

using namespace tenon::optim;
namespace sdk = tenon::sdk;

constexpr Hyper kHypers[] = {
    learning_rate(1e-2),
    {"lr_decay", "how much slower each step is"},
    kL2Penalty,
    root_eps(1e-10),
};
constexpr State kStates[] = {
    {"sum", "sum of squared gradients, s; tenon_optimizer_set_state gives it another beginning"},
};
constexpr Rule kRule = {
    .name = "tenon.adagrad",
    .doc =
        "Adagrad with learning rate decay and L2 penalty, as torch.optim.Adagrad. Rows of sparse "
        "gradients are updated alone, with their sums.",
    .hypers = kHypers,
    .states = kStates};

template <bool rows>
void compose(sdk::Compose& c) {
  const double weight_decay = c.attrs.real(kAttr<kRule, "weight_decay">);
  for (uint32_t item = 0; item < c.in(0).count; ++item) {
    Update<rows> u(c, 1, item);
    const auto p = u.hold_param(), sum = u.hold_state(0);
    const sdk::Value before = u.cast(u.step(), TENON_DTYPE_F64);
    const sdk::Value slower = u.add(u.mul(before, c.attrs.real(kAttr<kRule, "lr_decay">)), 1.0);
    const sdk::Value back = u.to_c(u.call("tenon.neg", u.div(u.lr(), slower)));
    sdk::Value g = u.grad();
    if (weight_decay != 0) g = u.add(g, u.mul(p.now, weight_decay));
    u.add_product(sum, g, g, 1.0);
    const sdk::Value root = u.add(u.call("tenon.sqrt", sum.now), c.attrs.real(kAttr<kRule, "eps">));
    u.add_quotient(p, u.mul(g, back), root);
    u.keep(sum);
    u.keep(p);
    u.count_step();
  }
}

constexpr tenon_op_desc kOps[] = {
    step_op<kRule, compose<false>>(R"(One step of Adagrad on each parameter, in place.

    t = t + 1
    g = g + weight_decay * p
    s = s + g * g
    p = p - lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps)

Each entry of `step` counts the steps of its parameter and is advanced by one.

Source: Duchi, Hazan, Singer, JMLR 12, 2011, in the order of `torch.optim.Adagrad`.
Arithmetic: f32 for 16-bit and f32 parameters, f64 for f64; each operation rounded by itself.)"),
    rows_op<kRule, compose<true>>(
        R"(One step of `tenon.adagrad_step` on the given rows of each parameter alone.

`values` holds the gradients of the rows `indices`; of a row given twice the last one counts. A row
that is not given is left as it is, its sum included. The step count belongs to the parameter, not
to the row, and is advanced by one.)")};

constexpr tenon_optimizer_desc kOptimizers[] = {optimizer<kRule>()};

constexpr std::string_view kRanges[] = {"(0,1)"};
constexpr RefusedAttrs kRefused[] = {{"eps=nan", "eps must be at least 0"},
                                     {"lr_decay=-1.0", "lr_decay must be at least 0"},
                                     {"weight_decay=-1.0", "weight_decay must be at least 0"}};
constexpr RuleSamples kCalls = {.states = kRanges,
                                .some_attrs = "lr_decay=0.1, weight_decay=0.1",
                                .other_attrs = "eps=1e-3",
                                .refused = kRefused};
constexpr auto kSamples = kRuleCalls<kRule, kCalls>.samples();

constexpr tenon_optimizer_sample kOptimizerSamples[] = {
    sdk::optimizer_sample("tenon.adagrad", "f32[3,2], f32[5] | lr=0.1", 3),
    sdk::optimizer_sample("tenon.adagrad", "f64[4] | lr=0.01, weight_decay=0.1, lr_decay=0.5", 5),
    sdk::optimizer_sample("tenon.adagrad", "f64[2,3,1,2], f64[], f64[1] | lr=0.05, eps=1e-6", 4),
    sdk::optimizer_refused("tenon.adagrad", "f32[2] | rho=0.1", TENON_E_ATTRIBUTE,
                           "no hyper-parameter"),
    sdk::optimizer_refused("tenon.adagrad", "f32[2] | lr=-1.0", TENON_E_ATTRIBUTE,
                           "\"lr\" is out of range"),
    sdk::optimizer_refused("tenon.adagrad", "f32[2] | eps=nan", TENON_E_ATTRIBUTE,
                           "\"eps\" is out of range")};

constexpr auto kTolerances = step_tolerances<kRule>();

}  // namespace

TENON_UNIT(adagrad) = {.ops = kOps,
                       .samples = kSamples,
                       .optimizers = kOptimizers,
                       .tolerances = kTolerances,
                       .optimizer_samples = kOptimizerSamples};
