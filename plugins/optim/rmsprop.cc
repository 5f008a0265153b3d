// SPDX-License-Identifier: Apache-2.0
// plugins/optim/rmsprop.cc: RMSprop: steps divided by a running root mean square of the gradient.
//
// With g the gradient and p the parameter:
//
//   g = g + weight_decay * p                              where weight_decay != 0
//   v = alpha * v + (1 - alpha) * g * g
//   a = alpha * a + (1 - alpha) * g,  v' = v - a * a     where centered, else v' = v
//   d = g / (sqrt(v') + eps)
//   b = momentum * b + d,  d = b                         where momentum != 0
//   p = p - lr * d
//
// Source: T. Tieleman, G. Hinton, "Lecture 6.5: RMSprop", COURSERA: Neural Networks for
// Machine Learning, 2012; centered as in A. Graves, "Generating sequences with recurrent neural
// networks", arXiv:1308.0850; in the order of torch.optim.RMSprop.
//
// Canonical arithmetic: in C = f32 for f16, bf16 and f32 parameters and f64 for f64; scalars in
// f64, each rounded to C once; each operation rounded by itself: p = p + (-lr * g) / (sqrt(v') +
// eps) without momentum. A 16-bit value is rounded where it is stored.
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
    {"alpha", "share of the mean of squared gradients that is kept", 0.99, 0, 1},
    root_eps(1e-8),
    kL2Penalty,
    {"momentum", "share of the buffer that is kept; 0: no momentum"},
    flag("centered", "divide by an estimate of the deviation"),
};
constexpr State kStates[] = {
    {"square_avg", "running mean of squared gradients, v"},
    {"grad_avg", "running mean of gradients, a; used with centered"},
    {"momentum_buffer", "running direction, b; used with momentum"},
};
constexpr Rule kRule = {
    .name = "tenon.rmsprop",
    .doc =
        "RMSprop, centered where wanted, with momentum and L2 penalty, as torch.optim.RMSprop. "
        "Rows of sparse gradients are updated alone, with their means.",
    .hypers = kHypers,
    .states = kStates};

template <bool rows>
void compose(sdk::Compose& c) {
  const double alpha = c.attrs.real(kAttr<kRule, "alpha">),
               momentum = c.attrs.real(kAttr<kRule, "momentum">);
  const double weight_decay = c.attrs.real(kAttr<kRule, "weight_decay">);
  for (uint32_t item = 0; item < c.in(0).count; ++item) {
    Update<rows> u(c, 3, item);
    const auto p = u.hold_param(), v = u.hold_state(0);
    const sdk::Value back = u.to_c(u.call("tenon.neg", u.lr()));
    sdk::Value g = u.grad();
    if (weight_decay != 0) g = u.add(g, u.mul(p.now, weight_decay));
    u.scale(v, alpha);
    u.add_product(v, g, g, 1 - alpha);
    sdk::Value square = v.now;
    if (c.attrs.flag(kAttr<kRule, "centered">)) {
      const auto mean = u.hold_state(1);
      u.scale(mean, alpha);
      u.add_product(mean, g, 1.0, 1 - alpha);
      square = u.sub(square, u.mul(mean.now, mean.now));
      u.keep(mean);
    }
    const sdk::Value root = u.add(u.call("tenon.sqrt", square), c.attrs.real(kAttr<kRule, "eps">));
    if (momentum != 0) {
      const auto buffer = u.hold_state(2);
      u.scale(buffer, momentum);
      u.add_quotient(buffer, g, root);
      u.keep(buffer);
      u.add_product(p, buffer.now, back, 1.0);
    } else {
      u.add_quotient(p, u.mul(g, back), root);
    }
    u.keep(v);
    u.keep(p);
    u.count_step();
  }
}

constexpr tenon_op_desc kOps[] = {
    step_op<kRule, compose<false>>(R"(One step of RMSprop on each parameter, in place.

    g = g + weight_decay * p
    v = alpha * v + (1 - alpha) * g * g
    a = alpha * a + (1 - alpha) * g,  v' = v - a * a     with centered, else v' = v
    d = g / (sqrt(v') + eps)
    b = momentum * b + d,  d = b                         with momentum
    p = p - lr * d

Each entry of `step` counts the steps of its parameter and is advanced by one.

Source: Tieleman, Hinton, 2012; Graves, arXiv:1308.0850; in the order of `torch.optim.RMSprop`.
Arithmetic: f32 for 16-bit and f32 parameters, f64 for f64; each operation rounded by itself.)"),
    rows_op<kRule, compose<true>>(
        R"(One step of `tenon.rmsprop_step` on the given rows of each parameter alone.

`values` holds the gradients of the rows `indices`; of a row given twice the last one counts. A row
that is not given is left as it is, its means and buffer included. The step count belongs to the
parameter, not to the row, and is advanced by one.)")};

constexpr tenon_optimizer_desc kOptimizers[] = {optimizer<kRule>()};

constexpr std::string_view kRanges[] = {"(1,2)", "(-0.5,0.5)", ""};
constexpr RefusedAttrs kRefused[] = {{"alpha=1.5", "alpha must be from 0 to 1"},
                                     {"eps=nan", "eps must be at least 0"},
                                     {"momentum=-0.5", "momentum must be at least 0"},
                                     {"weight_decay=-1.0", "weight_decay must be at least 0"}};
constexpr RuleSamples kCalls = {.states = kRanges,
                                .some_attrs = "centered=true, weight_decay=0.1",
                                .other_attrs = "momentum=0.9, alpha=0.9",
                                .more_attrs = "centered=true, momentum=0.5, eps=1e-3",
                                .refused = kRefused};
constexpr auto kSamples = kRuleCalls<kRule, kCalls>.samples();

constexpr tenon_optimizer_sample kOptimizerSamples[] = {
    sdk::optimizer_sample("tenon.rmsprop", "f32[3,2], f32[5] | lr=0.1", 3),
    sdk::optimizer_sample("tenon.rmsprop", "f64[4] | lr=0.01, weight_decay=0.1, centered=true", 5),
    sdk::optimizer_sample(
        "tenon.rmsprop", "f64[2,3,1,2], f64[], f64[1] | lr=0.05, alpha=0.8, momentum=0.9, eps=1e-6",
        4),
    sdk::optimizer_refused("tenon.rmsprop", "f32[2] | rho=0.1", TENON_E_ATTRIBUTE,
                           "no hyper-parameter"),
    sdk::optimizer_refused("tenon.rmsprop", "f32[2] | lr=-1.0", TENON_E_ATTRIBUTE,
                           "\"lr\" is out of range"),
    sdk::optimizer_refused("tenon.rmsprop", "f32[2] | alpha=1.5", TENON_E_ATTRIBUTE,
                           "\"alpha\" is out of range"),
    sdk::optimizer_refused("tenon.rmsprop", "f32[2] | centered=1", TENON_E_ATTRIBUTE,
                           "\"centered\" has the wrong type")};

constexpr auto kTolerances = step_tolerances<kRule>();

}  // namespace

TENON_UNIT(rmsprop) = {.ops = kOps,
                       .samples = kSamples,
                       .optimizers = kOptimizers,
                       .tolerances = kTolerances,
                       .optimizer_samples = kOptimizerSamples};
