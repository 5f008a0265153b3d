// SPDX-License-Identifier: Apache-2.0
// plugins/optim/adamw.cc: AdamW: Adam whose weight decay shrinks the parameter, not the gradient.
//
// With g the gradient, p the parameter, m and v the means, t the number of steps, this one counted:
//
//   p = (1 - lr * weight_decay) * p              where weight_decay != 0
//   m = beta1 * m + (1 - beta1) * g
//   v = beta2 * v + (1 - beta2) * g * g
//   p = p - lr / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + eps)
//
// Source: I. Loshchilov, F. Hutter, "Decoupled Weight Decay Regularization", ICLR 2019; in the
// order of torch.optim.AdamW.
//
// Canonical arithmetic: that of adam.cc; besides, 1 - lr*weight_decay is made in f64 and rounded to
// C once, and multiplies p first.
#include "adam.hpp"

namespace {

using namespace tenon::optim;
namespace sdk = tenon::sdk;

constexpr Hyper kHypers[] = {
    learning_rate(1e-3),
    adam::kBeta1,
    adam::kBeta2,
    root_eps(1e-8),
    {"weight_decay", "share of the parameter, times lr, lost in each step", 0.01},
};
constexpr Rule kRule = {
    .name = "tenon.adamw",
    .doc =
        "Adam with decoupled weight decay, as torch.optim.AdamW. Rows of sparse gradients are "
        "updated alone, with their means.",
    .hypers = kHypers,
    .states = adam::kStates};

constexpr tenon_op_desc kOps[] = {
    step_op<kRule, adam::compose<kRule, false, true>>(
        R"(One step of AdamW on each parameter, in place.

    t = t + 1
    p = (1 - lr * weight_decay) * p
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    p = p - lr / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + eps)

Each entry of `step` is the t of its parameter and is advanced by one.

Source: Loshchilov, Hutter, ICLR 2019, in the order of `torch.optim.AdamW`.
Arithmetic: f32 for 16-bit and f32 parameters, f64 for f64; each operation rounded by itself.)"),
    rows_op<kRule, adam::compose<kRule, true, true>>(
        R"(One step of `tenon.adamw_step` on the given rows of each parameter alone.

`values` holds the gradients of the rows `indices`, which ascend without duplicates. A row that is
not given is left as it is: neither its m and v nor its weight decay move it; with all rows given
the result is that of `tenon.adamw_step`. The step count belongs to the parameter, not to the row,
and is advanced by one.)")};

constexpr tenon_optimizer_desc kOptimizers[] = {optimizer<kRule>()};

constexpr tenon_sample kSamples[] = {
    sdk::sample("tenon.adamw_step",
                "[f32[3,2]], [f32[3,2]], [f32[3,2]], [f32[3,2](0,1)], [i64[]{0}], f64[]{0.1}"),
    sdk::sample("tenon.adamw_step",
                "[f64[2,3], f64[5]], [f64[2,3], f64[5]], [f64[2,3], f64[5]], "
                "[f64[2,3](0,1), f64[5](0,1)], [i64[]{3}, i64[]{100}], f64[]{0.01} | beta1=0.8, "
                "beta2=0.95, eps=1e-6, weight_decay=0.5"),
    sdk::sample("tenon.adamw_step",
                "[bf16[4]], [bf16[4]], [bf16[4]], [bf16[4](0,1)], [i64[]{1}], f64[]{0.01}"),
    sdk::sample("tenon.adamw_step", "[], [], [], [], [], f64[]{0.1}"),
    sdk::sample("tenon.adamw_step",
                "[f32[2,1,3,2]], [f32[2,1,3,2]], [f32[2,1,3,2]], [f32[2,1,3,2](0,1)], [i64[]{4}], "
                "f64[]{0.05} | weight_decay=0.2"),
    sdk::sample("tenon.adamw_step",
                "[f32[1,3,1]], [f32[1,3,1]], [f32[1,3,1]], [f32[1,3,1](0,1)], [i64[]{999}], "
                "f64[]{0.1} | eps=0.0"),
    sdk::sample("tenon.adamw_step",
                "[f32[2,2]], [f32[2,2]], [f32[2,2]], [f32[2,2](0,1)], [i64[]{0}], f64[]{0.1} | "
                "beta1=0.0, beta2=0.0"),
    sdk::sample("tenon.adamw_step",
                "[f64[2]], [f64[2]], [f64[2]], [f64[2](0,1)], [i64[]{9}], f64[]{0.0}"),
    sdk::sample("tenon.adamw_step",
                "[f32[4]{nan,inf,1.0,-0.0}], [f32[4]{1.0,-1.0,nan,0.0}], [f32[4]], [f32[4](0,1)], "
                "[i64[]{1}], f64[]{0.5}"),
    sdk::sample("tenon.adamw_step",
                "[f32[3]{1.0,2.0,3.0}], [f32[3]{inf,-inf,1.0}], [f32[3]], [f32[3](0,1)], "
                "[i64[]{1}], f64[]{0.5}"),
    sdk::sample("tenon.adamw_step",
                "[f32[3]{3.4028235e38,-1.0,1.0}], [f32[3]{1e18,-1e18,1e-18}], [f32[3]], "
                "[f32[3](0,1)], [i64[]{2}], f64[]{0.1}"),
    sdk::sample("tenon.adamw_step",
                "[f64[3]{1.7976931348623157e308,-1.0,1.0}], [f64[3]{1e150,-1e-150,5e-324}], "
                "[f64[3]], [f64[3](0,1)], [i64[]{2}], f64[]{0.1}"),
    sdk::sample("tenon.adamw_step",
                "[f16[2]{65504.0,6e-8}], [f16[2]{200.0,6e-8}], [f16[2]], [f16[2](0,1)], "
                "[i64[]{1}], f64[]{0.1}"),
    sdk::sample("tenon.adamw_step",
                "[bf16[2]{3.39e38,9.2e-41}], [bf16[2]{1e18,9.2e-41}], [bf16[2]], [bf16[2](0,1)], "
                "[i64[]{1}], f64[]{0.1}"),
    sdk::sample("tenon.adamw_step",
                "[bf16[4,1]], [bf16[4,1]], [f32[4,1]], [f32[4,1](0,1)], [i64[]{1}], f64[]{0.5}"),
    sdk::sample("tenon.adamw_rows",
                "[f32[5,2]], [i64[2]{1,3}], [f32[2,2]], [f32[5,2]], [f32[5,2](0,1)], [i64[]{2}], "
                "f64[]{0.1}"),
    sdk::sample("tenon.adamw_rows", "[], [], [], [], [], [], f64[]{0.1}"),
    sdk::sample("tenon.adamw_rows",
                "[f32[3,2,1,2]], [i64[2]{0,2}], [f32[2,2,1,2]], [f32[3,2,1,2]], "
                "[f32[3,2,1,2](0,1)], [i64[]{5}], f64[]{0.05} | weight_decay=0.3"),
    sdk::sample(
        "tenon.adamw_rows",
        "[f32[1,3]], [i64[1]{0}], [f32[1,3]], [f32[1,3]], [f32[1,3](0,1)], [i64[]{1}], f64[]{0.5}"),
    sdk::sample("tenon.adamw_rows",
                "[bf16[4,2]], [i64[2]{0,3}], [bf16[2,2]], [f32[4,2]], [f32[4,2](0,1)], [i64[]{3}], "
                "f64[]{0.1}"),
    sdk::sample(
        "tenon.adamw_rows",
        "[f16[4]], [i64[3]{0,1,3}], [f16[3]], [f16[4]], [f16[4](0,1)], [i64[]{1}], f64[]{0.1}"),
    sdk::sample("tenon.adamw_rows",
                "[f32[0,3]], [i64[0]], [f32[0,3]], [f32[0,3]], [f32[0,3]], [i64[]{1}], f64[]{0.1}"),
    sdk::sample("tenon.adamw_rows",
                "[f32[3]{nan,1.0,inf}], [i64[2]{1,2}], [f32[2]{nan,-inf}], [f32[3]], "
                "[f32[3](0,1)], [i64[]{1}], f64[]{0.1}"),
    sdk::sample("tenon.adamw_rows",
                "[f64[3]], [i64[3]{0,1,2}], [f64[3]{1e100,1e-100,-1e-200}], [f64[3]], "
                "[f64[3](0,1)], [i64[]{1}], f64[]{0.1}"),
    sdk::refused("tenon.adamw_step",
                 "[f32[3], f32[2]], [f32[3]], [f32[3]], [f32[3](0,1)], [i64[]{0}], f64[]{0.1}",
                 TENON_E_ARGUMENT, "grads has 1 tensors for 2 parameters"),
    sdk::refused("tenon.adamw_step",
                 "[f32[3]], [f32[3]], [f32[3]], [f32[4](0,1)], [i64[]{0}], f64[]{0.1}",
                 TENON_E_SHAPE, "exp_avg_sq[0]"),
    sdk::refused("tenon.adamw_step",
                 "[f32[3]], [f32[3]], [f32[3]], [f32[3](0,1)], [i64[]{0}], f64[]{0.1} | beta1=-0.1",
                 TENON_E_ATTRIBUTE, "beta1 must be at least 0 and below 1"),
    sdk::refused("tenon.adamw_rows",
                 "[f32[5]], [i64[2]{1,1}], [f32[2]], [f32[5]], [f32[5](0,1)], [i64[]{2}], "
                 "f64[]{0.1}",
                 TENON_E_DATA, "ascend"),
    sdk::refused("tenon.adamw_step",
                 "[f32[3]], [f64[3]], [f32[3]], [f32[3](0,1)], [i64[]{0}], f64[]{0.1}",
                 TENON_E_DTYPE, "grads"),
    sdk::refused("tenon.adamw_step",
                 "[f32[3]], [f32[3]], [f32[3]], [f64[3](0,1)], [i64[]{0}], f64[]{0.1}",
                 TENON_E_DTYPE, "exp_avg_sq"),
    sdk::refused("tenon.adamw_step",
                 "[f32[3]], [f32[3]], [f32[3]], [f32[3](0,1)], [i32[]{0}], f64[]{0.1}",
                 TENON_E_DTYPE, "step"),
    sdk::refused("tenon.adamw_step", "[f32[3]], [f32[3]], [f32[3]], [f32[3](0,1)], [i64[]{0}]",
                 TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(
        "tenon.adamw_step",
        "[f32[3]], [f32[3]], [f32[3]], [f32[3](0,1)], [i64[]{0}], f64[]{0.1} | weight_decay=-1.0",
        TENON_E_ATTRIBUTE, "weight_decay must be at least 0"),
    sdk::refused("tenon.adamw_rows",
                 "[f32[5]], [i32[1]{1}], [f32[1]], [f32[5]], [f32[5](0,1)], [i64[]{2}], f64[]{0.1}",
                 TENON_E_DTYPE, "indices"),
    sdk::refused("tenon.adamw_rows",
                 "[f32[5]], [i64[1]{1}], [f32[1]], [f32[5]], [f32[5](0,1)], [i64[]{2}], f64[]{0.1} "
                 "| eps=-1.0",
                 TENON_E_ATTRIBUTE, "eps must be at least 0"),
    sdk::refused("tenon.adamw_rows", "[f32[5]], [i64[1]{1}], [f32[1]], [f32[5]], [f32[5](0,1)]",
                 TENON_E_ARGUMENT, "number of operands"),
    sdk::refused("tenon.adamw_rows",
                 "[f32[]], [i64[1]{0}], [f32[1]], [f32[]], [f32[](0,1)], [i64[]{2}], f64[]{0.1}",
                 TENON_E_SHAPE, "rank 0 has no rows"),
    sdk::refused("tenon.adamw_rows",
                 "[f32[5,2]], [i64[2]{1,3}], [f32[2,3]], [f32[5,2]], [f32[5,2](0,1)], [i64[]{2}], "
                 "f64[]{0.1}",
                 TENON_E_SHAPE, "values[0]")};

constexpr tenon_optimizer_sample kOptimizerSamples[] = {
    sdk::optimizer_sample("tenon.adamw", "f32[3,2], f32[5] | lr=0.1", 3),
    sdk::optimizer_sample("tenon.adamw", "f64[4] | lr=0.01, weight_decay=0.5", 5),
    sdk::optimizer_sample(
        "tenon.adamw", "f32[2,3,1,2], f64[], f32[1] | lr=0.05, beta1=0.8, beta2=0.95, eps=1e-6", 3),
    sdk::optimizer_sample("tenon.adamw", "f64[2,2], f32[0,3] | lr=0.2, beta1=0.0, beta2=0.5", 4),
    sdk::optimizer_refused("tenon.adamw", "f32[2] | momentum=0.1", TENON_E_ATTRIBUTE,
                           "no hyper-parameter"),
    sdk::optimizer_refused("tenon.adamw", "f32[2] | lr=-1.0", TENON_E_ATTRIBUTE,
                           "\"lr\" is out of range"),
    sdk::optimizer_refused("tenon.adamw", "f32[2] | beta1=1.0", TENON_E_ATTRIBUTE,
                           "\"beta1\" is out of range"),
    sdk::optimizer_refused("tenon.adamw", "f32[2] | beta2=nan", TENON_E_ATTRIBUTE,
                           "\"beta2\" is out of range"),
    sdk::optimizer_refused("tenon.adamw", "f32[2] | eps=true", TENON_E_ATTRIBUTE,
                           "\"eps\" has the wrong type"),
    sdk::optimizer_refused("tenon.adamw", "f32[2] | weight_decay=-0.1", TENON_E_ATTRIBUTE,
                           "\"weight_decay\" is out of range")};

constexpr auto kTolerances = step_tolerances<kRule>();

}  // namespace

TENON_UNIT(adamw) = {.ops = kOps,
                     .samples = kSamples,
                     .optimizers = kOptimizers,
                     .tolerances = kTolerances,
                     .optimizer_samples = kOptimizerSamples};
