// SPDX-License-Identifier: Apache-2.0
// plugins/optim/lamb.cc: LAMB: Adam's direction, as long as a share of the parameter.
//
// With g the gradient, p the parameter, m and v the means, t the number of steps, this one counted:
//
//   m = beta1 * m + (1 - beta1) * g
//   v = beta2 * v + (1 - beta2) * g * g
//   u = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps) + weight_decay * p
//   r = |p| / |u| where both norms are above 0, else 1
//   p = p - lr * r * u
//
// Source: Y. You et al., "Large batch optimization for deep learning: training BERT in 76 minutes",
// ICLR 2020, algorithm 2, with phi(z) = z.
//
// Canonical arithmetic: in C = f32 for f16, bf16 and f32 parameters and f64 for f64; scalars in
// f64, each rounded to C once, powers by exp and log; norms are roots of sums of squares in C; each
// operation rounded by itself. A 16-bit value is rounded where it is stored.
#include "adam.hpp"

namespace {

using namespace tenon::optim;
namespace sdk = tenon::sdk;

constexpr Hyper kHypers[] = {
    learning_rate(1e-3),
    adam::kBeta1,
    adam::kBeta2,
    root_eps(1e-6),
    {"weight_decay", "share of the parameter in the direction of the step", 1e-2},
};
constexpr Rule kRule = {
    .name = "tenon.lamb",
    .doc =
        "LAMB: Adam whose steps are a share of each parameter's norm, for large batches. Rows of "
        "sparse gradients are made dense.",
    .hypers = kHypers,
    .states = adam::kStates,
    .has_rows = false,
    .by_element = false};

template <class U>
sdk::Value norm(U& u, sdk::Value x) {
  return u.call("tenon.sqrt", u.call("tenon.sum", u.mul(x, x)));
}

void compose(sdk::Compose& c) {
  const double beta1 = c.attrs.real(kAttr<kRule, "beta1">),
               beta2 = c.attrs.real(kAttr<kRule, "beta2">);
  for (uint32_t item = 0; item < c.in(0).count; ++item) {
    Update<false> u(c, 2, item);
    const auto p = u.hold_param(), m = u.hold_state(0), v = u.hold_state(1);
    const sdk::Value g = u.grad();
    const sdk::Value first = u.to_c(adam::correction(u, beta1));
    const sdk::Value second = u.to_c(adam::correction(u, beta2));
    u.scale(m, beta1);
    u.add_product(m, g, 1.0, 1 - beta1);
    u.scale(v, beta2);
    u.add_product(v, g, g, 1 - beta2);
    const sdk::Value slope =
        u.add(u.call("tenon.sqrt", u.div(v.now, second)), c.attrs.real(kAttr<kRule, "eps">));
    const sdk::Value decay = u.mul(p.now, c.attrs.real(kAttr<kRule, "weight_decay">));
    const sdk::Value way = u.add(u.div(u.div(m.now, first), slope), decay);
    const sdk::Value length = norm(u, p.now), step = norm(u, way);
    const sdk::Value none = c.call(
        "tenon.logical_or", {c.call("tenon.eq", {length, 0.0}), c.call("tenon.eq", {step, 0.0})});
    const sdk::Value ratio = c.call("tenon.where", {none, 1.0, u.div(length, step)});
    const sdk::Value back = u.to_c(u.call("tenon.neg", u.lr()));
    u.add_product(p, way, u.mul(ratio, back), 1.0);
    u.keep(m);
    u.keep(v);
    u.keep(p);
    u.count_step();
  }
}

constexpr tenon_op_desc kOps[] = {
    step_op<kRule, compose>(R"(One step of LAMB on each parameter, in place.

    t = t + 1
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    u = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps) + weight_decay * p
    r = |p| / |u| where both norms are above 0, else 1
    p = p - lr * r * u

The norms are those of a whole parameter, so there is no op for some of its rows. Each entry of
`step` is the t of its parameter and is advanced by one.

Source: You et al., ICLR 2020, algorithm 2.
Arithmetic: f32 for 16-bit and f32 parameters, f64 for f64; each operation rounded by itself.)")};

constexpr tenon_optimizer_desc kOptimizers[] = {optimizer<kRule>()};

constexpr tenon_sample kSamples[] = {
    sdk::sample("tenon.lamb_step",
                "[f32[3,2]], [f32[3,2]], [f32[3,2]], [f32[3,2](0,1)], [i64[]{0}], f64[]{0.1}"),
    sdk::sample("tenon.lamb_step",
                "[f32[2,3,4], f32[5]], [f32[2,3,4], f32[5]], [f32[2,3,4], f32[5]], "
                "[f32[2,3,4](0,1), f32[5](0,1)], [i64[]{3}, i64[]{20}], f64[]{0.01} | beta1=0.8, "
                "beta2=0.95, weight_decay=0.1"),
    sdk::sample("tenon.lamb_step",
                "[f64[4]], [f64[4]], [f64[4]], [f64[4](0,1)], [i64[]{1}], f64[]{0.01} | "
                "weight_decay=0.0, eps=1e-3"),
    sdk::sample("tenon.lamb_step",
                "[f64[2]{0.0,0.0}], [f64[2]], [f64[2]], [f64[2](0,1)], [i64[]{1}], f64[]{0.5}"),
    sdk::sample("tenon.lamb_step",
                "[f64[2]], [f64[2]{0.0,0.0}], [f64[2]{0.0,0.0}], [f64[2](0,1)], [i64[]{1}], "
                "f64[]{0.5} | weight_decay=0.0"),
    sdk::sample("tenon.lamb_step",
                "[bf16[4,1]], [bf16[4,1]], [f32[4,1]], [f32[4,1](0,1)], [i64[]{1}], f64[]{0.5}"),
    sdk::sample("tenon.lamb_step",
                "[f16[], f16[0,2]], [f16[], f16[0,2]], [f16[], f16[0,2]], [f16[](0,1), f16[0,2]], "
                "[i64[]{1}, i64[]{2}], f64[]{0.1}"),
    sdk::sample("tenon.lamb_step", "[], [], [], [], [], f64[]{0.1}"),
    sdk::sample("tenon.lamb_step",
                "[f32[3]{nan,1.0,2.0}], [f32[3]], [f32[3]], [f32[3](0,1)], [i64[]{1}], f64[]{0.5}"),
    sdk::refused("tenon.lamb_step", "[f32[3]], [f32[3]], [f32[3]], [f32[3](0,1)], [], f64[]{0.1}",
                 TENON_E_ARGUMENT, "step has 0 tensors for 1 parameters"),
    sdk::refused("tenon.lamb_step",
                 "[f32[3,2]], [f32[3,2]], [f32[6]], [f32[3,2](0,1)], [i64[]{0}], f64[]{0.1}",
                 TENON_E_SHAPE, "exp_avg[0]"),
    sdk::refused("tenon.lamb_step",
                 "[f32[3]], [f64[3]], [f32[3]], [f32[3](0,1)], [i64[]{0}], f64[]{0.1}",
                 TENON_E_DTYPE, "grads"),
    sdk::refused("tenon.lamb_step",
                 "[i32[3]], [i32[3]], [f32[3]], [f32[3](0,1)], [i64[]{0}], f64[]{0.1}",
                 TENON_E_DTYPE, "i32"),
    sdk::refused("tenon.lamb_step", "[f32[3]], [f32[3]], [f32[3]], [f32[3](0,1)], [i64[]{0}]",
                 TENON_E_ARGUMENT, "number of operands"),
    sdk::refused("tenon.lamb_step",
                 "[f32[3]], [f32[3]], [f32[3]], [f32[3](0,1)], [i64[]{0}], f64[]{0.1} | beta2=1.0",
                 TENON_E_ATTRIBUTE, "beta2 must be at least 0 and below 1"),
    sdk::refused("tenon.lamb_step",
                 "[f32[3]], [f32[3]], [f32[3]], [f32[3](0,1)], [i64[]{0}], f64[]{0.1} | eps=-1.0",
                 TENON_E_ATTRIBUTE, "eps must be at least 0")};

constexpr tenon_optimizer_sample kOptimizerSamples[] = {
    sdk::optimizer_sample("tenon.lamb", "f32[3,2], f32[5] | lr=0.1", 3),
    sdk::optimizer_sample("tenon.lamb", "f64[4] | lr=0.01, weight_decay=0.1", 5),
    sdk::optimizer_sample("tenon.lamb",
                          "f64[2,3,1,2], f64[], f64[1] | lr=0.05, beta1=0.8, beta2=0.95", 4),
    sdk::optimizer_refused("tenon.lamb", "f32[2] | momentum=0.1", TENON_E_ATTRIBUTE,
                           "no hyper-parameter"),
    sdk::optimizer_refused("tenon.lamb", "f32[2] | lr=-1.0", TENON_E_ATTRIBUTE,
                           "\"lr\" is out of range"),
    sdk::optimizer_refused("tenon.lamb", "f32[2] | beta1=1.0", TENON_E_ATTRIBUTE,
                           "\"beta1\" is out of range")};

constexpr auto kTolerances = sdk::float_tolerances(
    "tenon.lamb_step", "A step rounds up to ten times, and the norms are sums.",
    {.f16 = {1, 2e-6}, .bf16 = {1, 2e-6}, .f32 = {4, 2e-6}, .f64 = {4, 1e-13}});

}  // namespace

TENON_UNIT(lamb) = {.ops = kOps,
                    .samples = kSamples,
                    .optimizers = kOptimizers,
                    .tolerances = kTolerances,
                    .optimizer_samples = kOptimizerSamples};
