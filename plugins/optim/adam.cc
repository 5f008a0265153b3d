// SPDX-License-Identifier: Apache-2.0
// plugins/optim/adam.cc: Adam: steps scaled by running means of the gradient and of its square.
//
// With g the gradient, p the parameter, m and v the means, t the number of steps, this one counted:
//
//   g = g + weight_decay * p                     where weight_decay != 0
//   m = beta1 * m + (1 - beta1) * g
//   v = beta2 * v + (1 - beta2) * g * g
//   p = p - lr / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + eps)
//
// Source: D. P. Kingma, J. Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015, algorithm
// 1; in the order of torch.optim.Adam.
//
// Canonical arithmetic: in C = f32 for f16, bf16 and f32 parameters and f64 for f64. Scalars in
// f64, each rounded to C once: 1 - beta1, 1 - beta2, r = 1 / sqrt(1 - beta2^t),
// s = -(lr / (1 - beta1^t)), where beta^t is made by repeated squaring from the lowest bit of t.
// Per element, each operation rounded by itself and no fused multiply-add: m = beta1*m +
// (1-beta1)*g; v = beta2*v + ((1-beta2)*g)*g; p = p + (s*m) / (sqrt(v)*r + eps). A 16-bit value is
// rounded where it is stored, and p uses m and v from before that.
#include "adam.hpp"

namespace {

using namespace tenon::optim;
namespace sdk = tenon::sdk;

constexpr Hyper kHypers[] = {
    learning_rate(1e-3), adam::kBeta1, adam::kBeta2, root_eps(1e-8), kL2Penalty,
};
constexpr Rule kRule = {
    .name = "tenon.adam",
    .doc =
        "Adam with bias correction and L2 penalty, as torch.optim.Adam. Rows of sparse gradients "
        "are updated alone, with their means.",
    .hypers = kHypers,
    .states = adam::kStates};

constexpr tenon_op_desc kOps[] = {
    step_op<kRule, adam::compose<kRule, false, false>>(
        R"(One step of Adam on each parameter, in place.

    t = t + 1
    g = g + weight_decay * p
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    p = p - lr / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + eps)

Each entry of `step` is the t of its parameter and is advanced by one.

Source: Kingma, Ba, ICLR 2015, in the order of `torch.optim.Adam`.
Arithmetic: f32 for 16-bit and f32 parameters, f64 for f64; each operation rounded by itself.)"),
    rows_op<kRule, adam::compose<kRule, true, false>>(
        R"(One step of `tenon.adam_step` on the given rows of each parameter alone.

`values` holds the gradients of the rows `indices`, which ascend without duplicates. A row that is
not given is left as it is, its m and v included ("lazy" Adam, as `torch.optim.SparseAdam`); with
all rows given the result is that of `tenon.adam_step`. The step count belongs to the parameter, not
to the row, and is advanced by one.)")};

constexpr tenon_optimizer_desc kOptimizers[] = {optimizer<kRule>()};

constexpr tenon_sample kSamples[] = {
    sdk::sample("tenon.adam_step",
                "[f32[3,2]], [f32[3,2]], [f32[3,2]], [f32[3,2](0,1)], [i64[]{0}], f64[]{0.1}"),
    sdk::sample("tenon.adam_step",
                "[f32[2,3,4], f32[5]], [f32[2,3,4], f32[5]], [f32[2,3,4], f32[5]], "
                "[f32[2,3,4](0,1), f32[5](0,1)], [i64[]{3}, i64[]{100}], f64[]{0.01} | beta1=0.8, "
                "beta2=0.95, eps=1e-6, weight_decay=0.1"),
    sdk::sample("tenon.adam_step",
                "[f64[4]], [f64[4]], [f64[4]], [f64[4](0,1)], [i64[]{1}], f64[]{0.01}"),
    sdk::sample("tenon.adam_step",
                "[bf16[4,1]], [bf16[4,1]], [f32[4,1]], [f32[4,1](0,1)], [i64[]{1}], f64[]{0.5}"),
    sdk::sample("tenon.adam_step",
                "[f16[], f16[0,2]], [f16[], f16[0,2]], [f16[], f16[0,2]], "
                "[f16[](0,1), f16[0,2]], [i64[]{1}, i64[]{2}], f64[]{0.1}"),
    sdk::sample("tenon.adam_step", "[], [], [], [], [], f64[]{0.1}"),
    sdk::sample("tenon.adam_step",
                "[f32[2,1,3,2]], [f32[2,1,3,2]], [f32[2,1,3,2]], [f32[2,1,3,2](0,1)], [i64[]{4}], "
                "f64[]{0.05} | weight_decay=0.2"),
    sdk::sample("tenon.adam_step",
                "[f32[1,3,1]], [f32[1,3,1]], [f32[1,3,1]], [f32[1,3,1](0,1)], [i64[]{999}], "
                "f64[]{0.1} | eps=0.0"),
    sdk::sample("tenon.adam_step",
                "[f32[2,2]], [f32[2,2]], [f32[2,2]], [f32[2,2](0,1)], [i64[]{0}], f64[]{0.1} | "
                "beta1=0.0, beta2=0.0"),
    sdk::sample("tenon.adam_step",
                "[f64[2]], [f64[2]], [f64[2]], [f64[2](0,1)], [i64[]{9}], f64[]{0.0}"),
    sdk::sample("tenon.adam_step",
                "[f32[4]{nan,inf,1.0,-0.0}], [f32[4]{1.0,-1.0,nan,0.0}], [f32[4]], [f32[4](0,1)], "
                "[i64[]{1}], f64[]{0.5}"),
    sdk::sample("tenon.adam_step",
                "[f32[3]{1.0,2.0,3.0}], [f32[3]{inf,-inf,1.0}], [f32[3]], [f32[3](0,1)], "
                "[i64[]{1}], f64[]{0.5}"),
    sdk::sample("tenon.adam_step",
                "[f32[3]{3.4028235e38,-1.0,1.0}], [f32[3]{1e18,-1e18,1e-18}], [f32[3]], "
                "[f32[3](0,1)], [i64[]{2}], f64[]{0.1}"),
    sdk::sample("tenon.adam_step",
                "[f64[3]{1.7976931348623157e308,-1.0,1.0}], [f64[3]{1e150,-1e-150,5e-324}], "
                "[f64[3]], [f64[3](0,1)], [i64[]{2}], f64[]{0.1}"),
    sdk::sample("tenon.adam_step",
                "[f16[2]{65504.0,6e-8}], [f16[2]{200.0,6e-8}], [f16[2]], [f16[2](0,1)], "
                "[i64[]{1}], f64[]{0.1}"),
    sdk::sample("tenon.adam_step",
                "[bf16[2]{3.39e38,9.2e-41}], [bf16[2]{1e18,9.2e-41}], [bf16[2]], [bf16[2](0,1)], "
                "[i64[]{1}], f64[]{0.1}"),
    sdk::sample("tenon.adam_rows",
                "[f32[5,2]], [i64[2]{1,3}], [f32[2,2]], [f32[5,2]], [f32[5,2](0,1)], [i64[]{2}], "
                "f64[]{0.1} | weight_decay=0.1"),
    sdk::sample("tenon.adam_rows",
                "[f64[4,2,2], f64[3]], [i64[0], i64[3]{0,1,2}], [f64[0,2,2], f64[3]], "
                "[f64[4,2,2], f64[3]], [f64[4,2,2](0,1), f64[3](0,1)], [i64[]{0}, i64[]{0}], "
                "f64[]{0.1}"),
    sdk::sample("tenon.adam_rows", "[], [], [], [], [], [], f64[]{0.1}"),
    sdk::sample("tenon.adam_rows",
                "[f32[3,2,1,2]], [i64[2]{0,2}], [f32[2,2,1,2]], [f32[3,2,1,2]], "
                "[f32[3,2,1,2](0,1)], [i64[]{5}], f64[]{0.05} | weight_decay=0.3"),
    sdk::sample(
        "tenon.adam_rows",
        "[f32[1,3]], [i64[1]{0}], [f32[1,3]], [f32[1,3]], [f32[1,3](0,1)], [i64[]{1}], f64[]{0.5}"),
    sdk::sample("tenon.adam_rows",
                "[bf16[4,2]], [i64[2]{0,3}], [bf16[2,2]], [f32[4,2]], [f32[4,2](0,1)], [i64[]{3}], "
                "f64[]{0.1}"),
    sdk::sample(
        "tenon.adam_rows",
        "[f16[4]], [i64[3]{0,1,3}], [f16[3]], [f16[4]], [f16[4](0,1)], [i64[]{1}], f64[]{0.1}"),
    sdk::sample("tenon.adam_rows",
                "[f32[0,3]], [i64[0]], [f32[0,3]], [f32[0,3]], [f32[0,3]], [i64[]{1}], f64[]{0.1}"),
    sdk::sample("tenon.adam_rows",
                "[f32[3]{nan,1.0,inf}], [i64[2]{1,2}], [f32[2]{nan,-inf}], [f32[3]], "
                "[f32[3](0,1)], [i64[]{1}], f64[]{0.1}"),
    sdk::sample("tenon.adam_rows",
                "[f64[3]], [i64[3]{0,1,2}], [f64[3]{1e100,1e-100,-1e-200}], [f64[3]], "
                "[f64[3](0,1)], [i64[]{1}], f64[]{0.1}"),
    sdk::refused("tenon.adam_step", "[f32[3]], [f32[3]], [f32[3]], [f32[3](0,1)], [], f64[]{0.1}",
                 TENON_E_ARGUMENT, "step has 0 tensors for 1 parameters"),
    sdk::refused("tenon.adam_step",
                 "[f32[3,2]], [f32[3,2]], [f32[6]], [f32[3,2](0,1)], [i64[]{0}], f64[]{0.1}",
                 TENON_E_SHAPE, "exp_avg[0]"),
    sdk::refused("tenon.adam_step",
                 "[f32[3]], [f32[3]], [f32[3]], [f32[3](0,1)], [i64[]{0}], f64[]{0.1} | beta2=1.0",
                 TENON_E_ATTRIBUTE, "beta2 must be at least 0 and below 1"),
    sdk::refused("tenon.adam_step",
                 "[f32[3]], [f32[3]], [f32[3]], [f32[3](0,1)], [i64[]{0}], f64[]{0.1} | eps=nan",
                 TENON_E_ATTRIBUTE, "eps must be at least 0"),
    sdk::refused("tenon.adam_rows",
                 "[f32[5,2]], [i64[2]{1,3}], [f32[2,3]], [f32[5,2]], [f32[5,2](0,1)], [i64[]{2}], "
                 "f64[]{0.1}",
                 TENON_E_SHAPE, "values[0]"),
    sdk::refused("tenon.adam_rows",
                 "[f32[5]], [i64[2]{3,1}], [f32[2]], [f32[5]], [f32[5](0,1)], [i64[]{2}], "
                 "f64[]{0.1}",
                 TENON_E_DATA, "ascend"),
    sdk::refused("tenon.adam_rows",
                 "[f32[5]], [i64[1]{-1}], [f32[1]], [f32[5]], [f32[5](0,1)], [i64[]{2}], "
                 "f64[]{0.1}",
                 TENON_E_DATA, "row -1"),
    sdk::refused("tenon.adam_step",
                 "[f32[3]], [f64[3]], [f32[3]], [f32[3](0,1)], [i64[]{0}], f64[]{0.1}",
                 TENON_E_DTYPE, "grads"),
    sdk::refused("tenon.adam_step",
                 "[f32[3]], [f32[3]], [f32[3]], [f64[3](0,1)], [i64[]{0}], f64[]{0.1}",
                 TENON_E_DTYPE, "exp_avg_sq"),
    sdk::refused("tenon.adam_step",
                 "[f32[3]], [f32[3]], [f32[3]], [f32[3](0,1)], [i32[]{0}], f64[]{0.1}",
                 TENON_E_DTYPE, "step"),
    sdk::refused("tenon.adam_step", "[f32[3]], [f32[3]], [f32[3]], [f32[3](0,1)], [i64[]{0}]",
                 TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(
        "tenon.adam_step",
        "[f32[3]], [f32[3]], [f32[3]], [f32[3](0,1)], [i64[]{0}], f64[]{0.1} | weight_decay=-1.0",
        TENON_E_ATTRIBUTE, "weight_decay must be at least 0"),
    sdk::refused("tenon.adam_rows",
                 "[f32[5]], [i32[1]{1}], [f32[1]], [f32[5]], [f32[5](0,1)], [i64[]{2}], f64[]{0.1}",
                 TENON_E_DTYPE, "indices"),
    sdk::refused("tenon.adam_rows",
                 "[f32[5]], [i64[1]{1}], [f32[1]], [f32[5]], [f32[5](0,1)], [i64[]{2}], f64[]{0.1} "
                 "| eps=-1.0",
                 TENON_E_ATTRIBUTE, "eps must be at least 0"),
    sdk::refused("tenon.adam_rows", "[f32[5]], [i64[1]{1}], [f32[1]], [f32[5]], [f32[5](0,1)]",
                 TENON_E_ARGUMENT, "number of operands"),
    sdk::refused("tenon.adam_rows",
                 "[f32[]], [i64[1]{0}], [f32[1]], [f32[]], [f32[](0,1)], [i64[]{2}], f64[]{0.1}",
                 TENON_E_SHAPE, "rank 0 has no rows")};

constexpr tenon_optimizer_sample kOptimizerSamples[] = {
    sdk::optimizer_sample("tenon.adam", "f32[3,2], f32[5] | lr=0.1", 3),
    sdk::optimizer_sample("tenon.adam", "f64[4] | lr=0.01, weight_decay=0.1", 5),
    sdk::optimizer_sample(
        "tenon.adam", "f32[2,3,1,2], f64[], f32[1] | lr=0.05, beta1=0.8, beta2=0.95, eps=1e-6", 3),
    sdk::optimizer_sample("tenon.adam", "f64[2,2], f32[0,3] | lr=0.2, beta1=0.0, beta2=0.5", 4),
    sdk::optimizer_refused("tenon.adam", "f32[2] | momentum=0.1", TENON_E_ATTRIBUTE,
                           "no hyper-parameter"),
    sdk::optimizer_refused("tenon.adam", "f32[2] | lr=-1.0", TENON_E_ATTRIBUTE,
                           "\"lr\" is out of range"),
    sdk::optimizer_refused("tenon.adam", "f32[2] | beta1=1.0", TENON_E_ATTRIBUTE,
                           "\"beta1\" is out of range"),
    sdk::optimizer_refused("tenon.adam", "f32[2] | beta2=nan", TENON_E_ATTRIBUTE,
                           "\"beta2\" is out of range"),
    sdk::optimizer_refused("tenon.adam", "f32[2] | eps=true", TENON_E_ATTRIBUTE,
                           "\"eps\" has the wrong type")};

constexpr auto kTolerances = step_tolerances<kRule>();

}  // namespace

TENON_UNIT(adam) = {.ops = kOps,
                    .samples = kSamples,
                    .optimizers = kOptimizers,
                    .tolerances = kTolerances,
                    .optimizer_samples = kOptimizerSamples};
