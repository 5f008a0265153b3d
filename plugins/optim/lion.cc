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
#include <tenon/sdk/op.hpp>
#include <tenon/sdk/plugin.hpp>

#include "compose.hpp"
#include "samples.hpp"
#include "step.hpp"

namespace {

using namespace tenon::optim;
namespace sdk = tenon::sdk;
using sdk::str;

enum Attr : uint32_t { kBeta1, kBeta2, kWeightDecay };

void check_attrs(const sdk::Args& args) {
  check_range(args, kBeta1, "beta1", 0, kBelowOne, "at least 0 and below 1");
  check_range(args, kBeta2, "beta2", 0, kBelowOne, "at least 0 and below 1");
  check_range(args, kWeightDecay, "weight_decay", 0, kLargest, "at least 0");
}

constexpr ListSlot kStepSlots[] = {
    {"params", Form::Like}, {"grads", Form::Like}, {"exp_avg", Form::Like}, {"step", Form::Scalar}};
constexpr auto kRowsSlots = rows_of(kStepSlots);

template <bool rows>
void compose(sdk::Compose& c) {
  const double beta1 = c.attrs.real(kBeta1), beta2 = c.attrs.real(kBeta2);
  const double weight_decay = c.attrs.real(kWeightDecay);
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
    sdk::op({.name = "tenon.lion_step",
             .schema = "lion_step(params!: T[...]*, grads: T[...]*, exp_avg!: U[...]*, step!: "
                       "i64[]*, lr: f64[], *, beta1: float=0.9, beta2: float=0.99, weight_decay: "
                       "float=0.0) -> () where T: float; U: float",
             .doc = R"(One step of Lion on each parameter, in place.

    d = sign(beta1 * m + (1 - beta1) * g)
    m = beta2 * m + (1 - beta2) * g
    p = (1 - lr * weight_decay) * p - lr * d

Each entry of `step` counts the steps of its parameter and is advanced by one.

Source: Chen et al., NeurIPS 2023, program 1.
Arithmetic: f32 for 16-bit and f32 parameters, f64 for f64; each operation rounded by itself.)",
             .infer = sdk::infer_fn<infer<kStepSlots, check_attrs>>,
             .compose = sdk::compose_fn<compose<false>>}),
    sdk::op({.name = "tenon.lion_rows",
             .schema = "lion_rows(params!: T[...]*, indices: i64[...]*, values: T[...]*, exp_avg!: "
                       "U[...]*, step!: i64[]*, lr: f64[], *, beta1: float=0.9, beta2: float=0.99, "
                       "weight_decay: float=0.0) -> () where T: float; U: float",
             .doc = R"(One step of `tenon.lion_step` on the given rows of each parameter alone.

`values` holds the gradients of the rows `indices`; of a row given twice the last one counts. A row
that is not given is left as it is, its mean included. The step count belongs to the parameter, not
to the row, and is advanced by one.)",
             .infer = sdk::infer_fn<infer<kRowsSlots, check_attrs>>,
             .compose = sdk::compose_fn<compose<true>>})};

constexpr tenon_hyper_desc kHypers[] = {
    {str("lr"), str("learning rate"), TENON_HYPER_DYNAMIC, TENON_VALUE_F64, 1e-4, 0, kLargest},
    {str("beta1"), str("share of the mean in the direction of the step"), 0, TENON_VALUE_F64, 0.9,
     0, kBelowOne},
    {str("beta2"), str("share of the mean of gradients that is kept"), 0, TENON_VALUE_F64, 0.99, 0,
     kBelowOne},
    {str("weight_decay"), str("shrinks the parameter by lr times this share"), 0, TENON_VALUE_F64,
     0, 0, kLargest}};

constexpr tenon_state_desc kStates[] = {
    {str("exp_avg"), str("running mean of gradients, m"), TENON_STATE_LIKE_PARAMETER,
     TENON_DTYPE_NONE, 0},
    {str("step"), str("steps made"), TENON_STATE_SCALAR, TENON_DTYPE_I64, 0}};

constexpr tenon_optimizer_desc kOptimizers[] = {
    {sizeof(tenon_optimizer_desc), 0, str("tenon.lion"),
     str("Lion with decoupled weight decay, as its authors publish it. Rows of sparse gradients "
         "are updated alone, with their means."),
     str("tenon.lion_step"), str("tenon.lion_rows"), kHypers, kStates, std::size(kHypers),
     std::size(kStates)}};

constexpr std::string_view kRanges[] = {""};
constexpr RefusedAttrs kRefused[] = {{"beta1=1.0", "beta1 must be at least 0 and below 1"},
                                     {"beta2=nan", "beta2 must be at least 0 and below 1"},
                                     {"weight_decay=-1.0", "weight_decay must be at least 0"}};
constexpr RuleSamples kRule = {.step = "tenon.lion_step",
                               .rows = "tenon.lion_rows",
                               .states = kRanges,
                               .some_attrs = "beta1=0.5, weight_decay=0.1",
                               .other_attrs = "beta2=0.5",
                               .first_state = "exp_avg[0]",
                               .refused = kRefused};
constexpr auto kSamples = kRuleCalls<kRule>.samples();

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

constexpr auto kTolerances = step_tolerances("tenon.lion_step", "tenon.lion_rows");

}  // namespace

TENON_UNIT(lion) = {.ops = kOps,
                    .samples = kSamples,
                    .optimizers = kOptimizers,
                    .tolerances = kTolerances,
                    .optimizer_samples = kOptimizerSamples};
