// SPDX-License-Identifier: Apache-2.0
// plugins/optim/sgd.cc: stochastic gradient descent with momentum, dampening, weight decay,
// Nesterov.
//
// With g the gradient, p the parameter, b the momentum buffer, t the number of steps made so far:
//
//   d = g + weight_decay * p                            where weight_decay != 0
//   b = d                                               at t = 0, where momentum != 0
//   b = momentum * b + (1 - dampening) * d              later
//   d = d + momentum * b   with nesterov, else   d = b  where momentum != 0
//   p = p - lr * d
//
// Source: I. Sutskever, J. Martens, G. Dahl, G. Hinton, "On the importance of initialization and
// momentum in deep learning", ICML 2013; in the form and order of torch.optim.SGD, in which the
// buffer starts as the first gradient, undamped, and the learning rate does not enter the buffer.
//
// Canonical arithmetic: in C = f32 for f16, bf16 and f32 parameters and f64 for f64; 1 - dampening
// in f64, then every scalar rounded to C; each operation above rounded by itself, no fused
// multiply-add; a 16-bit value is rounded where it is stored, and not in between.
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include "compose.hpp"
#include "rule.hpp"

namespace {

using namespace tenon::optim;
namespace sdk = tenon::sdk;

constexpr Hyper kHypers[] = {
    learning_rate(1e-3),
    {"momentum", "share of the buffer that is kept; 0: no momentum"},
    {"dampening", "share of the gradient kept out of the buffer", 0, -kLargest},
    kL2Penalty,
    flag("nesterov", "look ahead along the momentum; needs momentum and no dampening"),
};
constexpr State kStates[] = {
    {"momentum_buffer", "running direction; not used without momentum"},
};
constexpr Rule kRule = {
    .name = "tenon.sgd",
    .doc =
        "Stochastic gradient descent with momentum, dampening, weight decay and Nesterov's rule, "
        "as torch.optim.SGD. Rows of sparse gradients are updated alone, with their momentum.",
    .hypers = kHypers,
    .states = kStates};

void check(const sdk::Args& args) {
  if (!args.attrs.flag(kAttr<kRule, "nesterov">)) return;
  const double momentum = args.attrs.real(kAttr<kRule, "momentum">);
  const double dampening = args.attrs.real(kAttr<kRule, "dampening">);
  if (momentum == 0 || dampening != 0) {
    throw sdk::Failure{
        TENON_E_ATTRIBUTE, "nesterov needs a momentum above 0 and a dampening of 0", "nesterov",
        "momentum > 0, dampening = 0",
        "momentum = " + std::to_string(momentum) + ", dampening = " + std::to_string(dampening)};
  }
}

template <bool rows>
void compose(sdk::Compose& c) {
  const double momentum = c.attrs.real(kAttr<kRule, "momentum">);
  const double weight_decay = c.attrs.real(kAttr<kRule, "weight_decay">);
  for (uint32_t item = 0; item < c.in(0).count; ++item) {
    Update<rows> u(c, 1, item);
    const sdk::Value p = u.param();
    sdk::Value d = u.grad();
    if (weight_decay != 0) d = u.add(d, u.mul(p, weight_decay));
    if (momentum != 0) {
      const sdk::Value before = u.state(0);
      const sdk::Value taken = u.mul(d, 1 - c.attrs.real(kAttr<kRule, "dampening">));
      const sdk::Value b = u.where_first(d, u.add(u.mul(before, momentum), taken));
      u.set_state(0, b);
      d = c.attrs.flag(kAttr<kRule, "nesterov">) ? u.add(d, u.mul(b, momentum)) : b;
    }
    u.set_param(u.sub(p, u.mul(d, u.to_c(u.lr()))));
    u.count_step();
  }
}

constexpr tenon_op_desc kOps[] = {
    step_op<kRule, compose<false>, check>(
        R"(One step of stochastic gradient descent on each parameter, in place.

    d = g + weight_decay * p
    b = d at the first step, else momentum * b + (1 - dampening) * d
    d = d + momentum * b with nesterov, else b; without momentum d stays, and b is not touched
    p = p - lr * d

Each entry of `step` counts the steps its parameter has made and is advanced by one.

Source: Sutskever, Martens, Dahl, Hinton, ICML 2013, in the form of `torch.optim.SGD`.
Arithmetic: f32 for 16-bit and f32 parameters, f64 for f64; each operation rounded by itself.)"),
    rows_op<kRule, compose<true>, check>(
        R"(One step of `tenon.sgd_step` on the given rows of each parameter alone.

`values` holds the gradients of the rows `indices`, which ascend without duplicates. A row that is
not given is left as it is, and so is its momentum: neither momentum nor weight decay moves it. The
step count belongs to the parameter and is advanced by one, so a row met for the first time at a
later step starts from a momentum of 0 and is damped as any other.)")};

constexpr tenon_optimizer_desc kOptimizers[] = {optimizer<kRule>()};

constexpr tenon_sample kSamples[] = {
    sdk::sample("tenon.sgd_step", "[f32[3,2]], [f32[3,2]], [f32[3,2]], [i64[]{0}], f64[]{0.1}"),
    sdk::sample("tenon.sgd_step",
                "[f32[2,3,4], f32[5]], [f32[2,3,4], f32[5]], [f32[2,3,4], f32[5]], "
                "[i64[]{3}, i64[]{0}], f64[]{0.01} | momentum=0.9, dampening=0.1, "
                "weight_decay=0.01"),
    sdk::sample("tenon.sgd_step",
                "[f64[4]], [f64[4]], [f64[4]], [i64[]{1}], f64[]{0.01} | momentum=0.9, "
                "nesterov=true"),
    sdk::sample("tenon.sgd_step", "[bf16[4,1]], [bf16[4,1]], [bf16[4,1]], [i64[]{1}], f64[]{0.5}"),
    sdk::sample("tenon.sgd_step",
                "[f16[], f16[0,2]], [f16[], f16[0,2]], [f32[], f32[0,2]], [i64[]{1}, i64[]{2}], "
                "f64[]{0.1} | momentum=0.5"),
    sdk::sample("tenon.sgd_step", "[], [], [], [], f64[]{0.1}"),
    sdk::sample(
        "tenon.sgd_step",
        "[f32[2,1,3,2]], [f32[2,1,3,2]], [f32[2,1,3,2]], [i64[]{4}], f64[]{0.05} | momentum=0.5"),
    sdk::sample("tenon.sgd_step",
                "[f32[2,3]], [f32[2,3]], [f32[2,3]], [i64[]{2}], f64[]{0.1} | momentum=0.9, "
                "weight_decay=0.5, nesterov=true"),
    sdk::sample("tenon.sgd_step",
                "[f64[1,3,1]], [f64[1,3,1]], [f64[1,3,1]], [i64[]{7}], f64[]{0.0} | "
                "dampening=-0.5, momentum=1.5"),
    sdk::sample(
        "tenon.sgd_step",
        "[f32[4]{nan,inf,1.0,-0.0}], [f32[4]{1.0,-1.0,nan,0.0}], [f32[4]], [i64[]{1}], f64[]{0.5}"),
    sdk::sample("tenon.sgd_step",
                "[f32[3]{3.4028235e38,1.0,-3.4028235e38}], "
                "[f32[3]{-3.4028235e38,3.4028235e38,0.5}], [f32[3]], [i64[]{1}], f64[]{1.0}"),
    sdk::sample("tenon.sgd_step",
                "[f32[3]{1e-45,1.1754944e-38,-1e-45}], [f32[3]{-1e-45,1e-45,1e-45}], [f32[3]], "
                "[i64[]{1}], f64[]{1.0}"),
    sdk::sample("tenon.sgd_step",
                "[f64[2]{5e-324,1.7976931348623157e308}], "
                "[f64[2]{5e-324,-1.7976931348623157e308}], [f64[2]], [i64[]{1}], f64[]{1.0}"),
    sdk::sample("tenon.sgd_step",
                "[f16[2]{65504.0,6e-8}], [f16[2]{-16.0,6e-8}], [f16[2]], [i64[]{1}], f64[]{1.0}"),
    sdk::sample(
        "tenon.sgd_step",
        "[bf16[2]{3.39e38,9.2e-41}], [bf16[2]{-1e36,-9.2e-41}], [bf16[2]], [i64[]{1}], f64[]{1.0}"),
    sdk::sample("tenon.sgd_rows",
                "[f32[5,2]], [i64[2]{1,3}], [f32[2,2]], [f32[5,2]], [i64[]{2}], f64[]{0.1} | "
                "momentum=0.9, weight_decay=0.1"),
    sdk::sample("tenon.sgd_rows",
                "[f64[4,2,2], f64[3]], [i64[0], i64[3]{0,1,2}], [f64[0,2,2], f64[3]], "
                "[f64[4,2,2], f64[3]], [i64[]{0}, i64[]{0}], f64[]{0.1}"),
    sdk::sample("tenon.sgd_rows", "[], [], [], [], [], f64[]{0.1}"),
    sdk::sample("tenon.sgd_rows",
                "[f32[3,2,1,2]], [i64[2]{0,2}], [f32[2,2,1,2]], [f32[3,2,1,2]], [i64[]{5}], "
                "f64[]{0.05} | weight_decay=0.3"),
    sdk::sample("tenon.sgd_rows",
                "[f32[1,3]], [i64[1]{0}], [f32[1,3]], [f32[1,3]], [i64[]{1}], f64[]{0.5}"),
    sdk::sample("tenon.sgd_rows",
                "[bf16[4,2]], [i64[2]{0,3}], [bf16[2,2]], [f32[4,2]], [i64[]{3}], f64[]{0.1}"),
    sdk::sample("tenon.sgd_rows",
                "[f16[4]], [i64[3]{0,1,3}], [f16[3]], [f16[4]], [i64[]{1}], f64[]{0.1}"),
    sdk::sample("tenon.sgd_rows",
                "[f32[0,3]], [i64[0]], [f32[0,3]], [f32[0,3]], [i64[]{1}], f64[]{0.1}"),
    sdk::sample("tenon.sgd_rows",
                "[f32[3]{nan,1.0,inf}], [i64[2]{1,2}], [f32[2]{nan,-inf}], [f32[3]], [i64[]{1}], "
                "f64[]{0.1}"),
    sdk::sample("tenon.sgd_rows",
                "[f64[3]], [i64[3]{0,1,2}], [f64[3]{1e100,1e-100,-1e-200}], [f64[3]], [i64[]{1}], "
                "f64[]{0.1}"),
    sdk::refused("tenon.sgd_step", "[f32[3]], [f32[3], f32[3]], [f32[3]], [i64[]{0}], f64[]{0.1}",
                 TENON_E_ARGUMENT, "grads has 2 tensors for 1 parameters"),
    sdk::refused("tenon.sgd_step", "[f32[3,2]], [f32[2,3]], [f32[3,2]], [i64[]{0}], f64[]{0.1}",
                 TENON_E_SHAPE, "grads[0]"),
    sdk::refused("tenon.sgd_step",
                 "[f32[3]], [f32[3]], [f32[3]], [i64[]{0}], f64[]{0.1} | nesterov=true",
                 TENON_E_ATTRIBUTE, "nesterov needs a momentum"),
    sdk::refused("tenon.sgd_step",
                 "[f32[3]], [f32[3]], [f32[3]], [i64[]{0}], f64[]{0.1} | momentum=-0.5",
                 TENON_E_ATTRIBUTE, "momentum must be at least 0"),
    sdk::refused("tenon.sgd_rows",
                 "[f32[5,2]], [i64[2]{1,3}], [f32[3,2]], [f32[5,2]], [i64[]{2}], f64[]{0.1}",
                 TENON_E_SHAPE, "values[0]"),
    sdk::refused("tenon.sgd_rows",
                 "[f32[5]], [i64[1,1]{1}], [f32[1]], [f32[5]], [i64[]{2}], f64[]{0.1}",
                 TENON_E_SHAPE, "indices[0]"),
    sdk::refused("tenon.sgd_rows",
                 "[f32[]], [i64[1]{0}], [f32[1]], [f32[]], [i64[]{2}], f64[]{0.1}", TENON_E_SHAPE,
                 "rank 0 has no rows"),
    sdk::refused("tenon.sgd_rows",
                 "[f32[5]], [i64[2]{3,3}], [f32[2]], [f32[5]], [i64[]{2}], f64[]{0.1}",
                 TENON_E_DATA, "ascend"),
    sdk::refused("tenon.sgd_rows",
                 "[f32[5]], [i64[1]{5}], [f32[1]], [f32[5]], [i64[]{2}], f64[]{0.1}", TENON_E_DATA,
                 "row 5"),
    sdk::refused("tenon.sgd_step", "[f32[3]], [f64[3]], [f32[3]], [i64[]{0}], f64[]{0.1}",
                 TENON_E_DTYPE, "grads"),
    sdk::refused("tenon.sgd_step", "[i32[3]], [i32[3]], [f32[3]], [i64[]{0}], f64[]{0.1}",
                 TENON_E_DTYPE, "i32"),
    sdk::refused("tenon.sgd_step", "[f32[3]], [f32[3]], [f32[3]], [i64[1]{0}], f64[]{0.1}",
                 TENON_E_SHAPE, "step"),
    sdk::refused("tenon.sgd_step", "[f32[3]], [f32[3]], [f32[3]], [i64[]{0}]", TENON_E_ARGUMENT,
                 "number of operands"),
    sdk::refused("tenon.sgd_step",
                 "[f32[3]], [f32[3]], [f32[3]], [i64[]{0}], f64[]{0.1} | dampening=inf",
                 TENON_E_ATTRIBUTE, "dampening must be a finite number"),
    sdk::refused("tenon.sgd_step",
                 "[f32[3]], [f32[3]], [f32[3]], [i64[]{0}], f64[]{0.1} | weight_decay=nan",
                 TENON_E_ATTRIBUTE, "weight_decay must be at least 0"),
    sdk::refused("tenon.sgd_rows",
                 "[f32[5]], [i32[1]{1}], [f32[1]], [f32[5]], [i64[]{2}], f64[]{0.1}", TENON_E_DTYPE,
                 "indices"),
    sdk::refused(
        "tenon.sgd_rows",
        "[f32[5]], [i64[1]{1}], [f32[1]], [f32[5]], [i64[]{2}], f64[]{0.1} | momentum=-1.0",
        TENON_E_ATTRIBUTE, "momentum must be at least 0"),
    sdk::refused("tenon.sgd_rows", "[f32[5]], [i64[1]{1}], [f32[1]], [f32[5]]", TENON_E_ARGUMENT,
                 "number of operands")};

constexpr tenon_optimizer_sample kOptimizerSamples[] = {
    sdk::optimizer_sample("tenon.sgd", "f32[3,2], f32[5] | lr=0.1", 3),
    sdk::optimizer_sample("tenon.sgd", "f64[4] | lr=0.05, momentum=0.9", 5),
    sdk::optimizer_sample(
        "tenon.sgd",
        "f32[2,3,1,2], f64[], f32[1] | lr=0.1, momentum=0.5, dampening=0.25, weight_decay=0.01", 3),
    sdk::optimizer_sample(
        "tenon.sgd", "f64[2,2], f32[0,3] | lr=0.2, momentum=0.9, nesterov=true, weight_decay=0.1",
        4),
    sdk::optimizer_refused("tenon.sgd", "f32[2] | speed=0.1", TENON_E_ATTRIBUTE,
                           "no hyper-parameter"),
    sdk::optimizer_refused("tenon.sgd", "f32[2] | lr=-1.0", TENON_E_ATTRIBUTE,
                           "\"lr\" is out of range"),
    sdk::optimizer_refused("tenon.sgd", "f32[2] | lr=nan", TENON_E_ATTRIBUTE,
                           "\"lr\" is out of range"),
    sdk::optimizer_refused("tenon.sgd", "f32[2] | momentum=-0.5", TENON_E_ATTRIBUTE,
                           "\"momentum\" is out of range"),
    sdk::optimizer_refused("tenon.sgd", "f32[2] | nesterov=1", TENON_E_ATTRIBUTE,
                           "\"nesterov\" has the wrong type")};

constexpr auto kTolerances = step_tolerances<kRule>();

}  // namespace

TENON_UNIT(sgd) = {.ops = kOps,
                   .samples = kSamples,
                   .optimizers = kOptimizers,
                   .tolerances = kTolerances,
                   .optimizer_samples = kOptimizerSamples};
