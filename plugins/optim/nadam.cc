// SPDX-License-Identifier: Apache-2.0
// plugins/optim/nadam.cc: NAdam: Adam that looks ahead along its mean, as Nesterov's momentum does.
//
// With g the gradient and p the parameter:
//
//   t = t + 1
//   g = g + weight_decay * p      where weight_decay != 0; decoupled: p = (1 - lr * weight_decay) *
//   p k(i) = beta1 * (1 - 0.96^(i * momentum_decay) / 2) K = K * k(t) m = beta1 * m + (1 - beta1) *
//   g v = beta2 * v + (1 - beta2) * g * g r = sqrt(v / (1 - beta2^t)) + eps p = p - lr * (1 - k(t))
//   / (1 - K) * g / r - lr * k(t+1) / (1 - K * k(t+1)) * m / r
//
// Source: T. Dozat, "Incorporating Nesterov momentum into Adam", ICLR 2016 workshop; in the
// order of torch.optim.NAdam.
//
// Canonical arithmetic: in C = f32 for f16, bf16 and f32 parameters and f64 for f64; scalars in
// f64, each rounded to C once; powers by exp and log; each operation rounded by itself, in the
// order above.
// A 16-bit value is rounded where it is stored.
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <cmath>

#include "compose.hpp"
#include "rule.hpp"
#include "samples.hpp"

namespace {

using namespace tenon::optim;
namespace sdk = tenon::sdk;

constexpr Hyper kHypers[] = {
    learning_rate(2e-3),
    {"beta1", "share of the mean of gradients that is kept", 0.9, 0, kBelowOne},
    {"beta2", "share of the mean of squared gradients that is kept", 0.999, 0, kBelowOne},
    root_eps(1e-8),
    {"weight_decay", "L2 penalty, added to the gradient, or decoupled"},
    {"momentum_decay", "how fast the look ahead grows", 4e-3},
    flag("decoupled", "weight decay shrinks the parameter, as in AdamW"),
};
constexpr State kStates[] = {
    {"exp_avg", "running mean of gradients, m"},
    {"exp_avg_sq", "running mean of squared gradients, v"},
    {"mu_product", "product of all k so far, K", Form::Scalar, TENON_DTYPE_F64, 1},
};
constexpr Rule kRule = {
    .name = "tenon.nadam",
    .doc =
        "Adam with Nesterov momentum, as torch.optim.NAdam. Rows of sparse gradients are updated "
        "alone, with their means.",
    .hypers = kHypers,
    .states = kStates};

// base^exponent, f64, rank 0
template <class U>
sdk::Value power(U& u, double base, sdk::Value exponent) {
  return u.call("tenon.exp", u.mul(exponent, std::log(base)));
}

// k(i), the share of the mean in step i
template <class U>
sdk::Value share(U& u, const sdk::Compose& c, sdk::Value number) {
  const sdk::Value fading =
      power(u, 0.96, u.mul(number, c.attrs.real(kAttr<kRule, "momentum_decay">)));
  return u.mul(u.sub(1.0, u.mul(fading, 0.5)), c.attrs.real(kAttr<kRule, "beta1">));
}

template <bool rows>
void compose(sdk::Compose& c) {
  const double beta1 = c.attrs.real(kAttr<kRule, "beta1">),
               beta2 = c.attrs.real(kAttr<kRule, "beta2">);
  const double weight_decay = c.attrs.real(kAttr<kRule, "weight_decay">);
  const bool decoupled = c.attrs.flag(kAttr<kRule, "decoupled">);
  for (uint32_t item = 0; item < c.in(0).count; ++item) {
    Update<rows> u(c, 3, item);
    const auto p = u.hold_param(), m = u.hold_state(0), v = u.hold_state(1);
    const sdk::Value product = u.scalar_state(2);
    const sdk::Value t = u.add(u.cast(u.step(), TENON_DTYPE_F64), 1.0),
                     back = u.call("tenon.neg", u.lr());
    const sdk::Value now = share(u, c, t), next = share(u, c, u.add(t, 1.0));
    c.call_into("tenon.mul", {product, now}, {}, {product.tensor()});
    sdk::Value g = u.grad();
    if (weight_decay != 0 && !decoupled) g = u.add(g, u.mul(p.now, weight_decay));
    u.scale(m, beta1);
    u.add_product(m, g, 1.0, 1 - beta1);
    u.scale(v, beta2);
    u.add_product(v, g, g, 1 - beta2);
    const sdk::Value correction = u.to_c(u.sub(1.0, power(u, beta2, t)));
    const sdk::Value root =
        u.add(u.call("tenon.sqrt", u.div(v.now, correction)), c.attrs.real(kAttr<kRule, "eps">));
    const sdk::Value of_g = u.div(u.mul(back, u.sub(1.0, now)), u.sub(1.0, product));
    const sdk::Value of_m = u.div(u.mul(back, next), u.sub(1.0, u.mul(product, next)));
    const sdk::Value first = u.mul(g, u.to_c(of_g));
    if (weight_decay != 0 && decoupled) {
      u.scale(p, u.to_c(u.sub(1.0, u.mul(u.lr(), weight_decay))));
    }
    u.add_quotient(p, first, root);
    u.add_quotient(p, u.mul(m.now, u.to_c(of_m)), root);
    u.keep(m);
    u.keep(v);
    u.keep(p);
    u.count_step();
  }
}

constexpr tenon_op_desc kOps[] = {
    step_op<kRule, compose<false>>(R"(One step of NAdam on each parameter, in place.

    t = t + 1
    g = g + weight_decay * p      with decoupled instead: p = (1 - lr * weight_decay) * p
    k(i) = beta1 * (1 - 0.96^(i * momentum_decay) / 2)
    K = K * k(t)
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    r = sqrt(v / (1 - beta2^t)) + eps
    p = p - lr * (1 - k(t)) / (1 - K) * g / r - lr * k(t+1) / (1 - K * k(t+1)) * m / r

Each entry of `step` counts the steps of its parameter and is advanced by one.

Source: Dozat, ICLR 2016 workshop, in the order of `torch.optim.NAdam`.
Arithmetic: f32 for 16-bit and f32 parameters, f64 for f64; each operation rounded by itself.)"),
    rows_op<kRule, compose<true>>(
        R"(One step of `tenon.nadam_step` on the given rows of each parameter alone.

`values` holds the gradients of the rows `indices`; of a row given twice the last one counts. A row
that is not given is left as it is, its means included. The step count belongs to the parameter,
not to the row, and is advanced by one.)")};

constexpr tenon_optimizer_desc kOptimizers[] = {optimizer<kRule>()};

constexpr std::string_view kRanges[] = {"", "(0,1)", kNumber};
constexpr RefusedAttrs kRefused[] = {{"beta1=1.0", "beta1 must be at least 0 and below 1"},
                                     {"beta2=nan", "beta2 must be at least 0 and below 1"},
                                     {"eps=-1.0", "eps must be at least 0"},
                                     {"momentum_decay=-1.0", "momentum_decay must be at least 0"},
                                     {"weight_decay=-1.0", "weight_decay must be at least 0"}};
constexpr RuleSamples kCalls = {
    .states = kRanges,
    .some_attrs = "beta1=0.8, weight_decay=0.1",
    .other_attrs = "momentum_decay=0.1, weight_decay=0.2, decoupled=true",
    .refused = kRefused};
constexpr auto kSamples = kRuleCalls<kRule, kCalls>.samples();

constexpr tenon_optimizer_sample kOptimizerSamples[] = {
    sdk::optimizer_sample("tenon.nadam", "f32[3,2], f32[5] | lr=0.1", 3),
    sdk::optimizer_sample("tenon.nadam", "f64[4] | lr=0.01, weight_decay=0.1", 5),
    sdk::optimizer_sample("tenon.nadam",
                          "f64[2,3,1,2], f64[], f64[1] | lr=0.05, beta1=0.8, beta2=0.95, eps=1e-6, "
                          "weight_decay=0.1, decoupled=true",
                          4),
    sdk::optimizer_refused("tenon.nadam", "f32[2] | momentum=0.1", TENON_E_ATTRIBUTE,
                           "no hyper-parameter"),
    sdk::optimizer_refused("tenon.nadam", "f32[2] | lr=-1.0", TENON_E_ATTRIBUTE,
                           "\"lr\" is out of range"),
    sdk::optimizer_refused("tenon.nadam", "f32[2] | beta1=1.0", TENON_E_ATTRIBUTE,
                           "\"beta1\" is out of range"),
    sdk::optimizer_refused("tenon.nadam", "f32[2] | decoupled=1", TENON_E_ATTRIBUTE,
                           "\"decoupled\" has the wrong type")};

constexpr auto kTolerances = step_tolerances<kRule>();

}  // namespace

TENON_UNIT(nadam) = {.ops = kOps,
                     .samples = kSamples,
                     .optimizers = kOptimizers,
                     .tolerances = kTolerances,
                     .optimizer_samples = kOptimizerSamples};
