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
#include <tenon/sdk/op.hpp>
#include <tenon/sdk/plugin.hpp>

#include "compose.hpp"
#include "samples.hpp"
#include "step.hpp"

namespace {

using namespace tenon::optim;
namespace sdk = tenon::sdk;
using sdk::str;

enum Attr : uint32_t { kRho, kEps, kWeightDecay };

void check_attrs(const sdk::Args& args) {
  check_range(args, kRho, "rho", 0, 1, "from 0 to 1");
  check_range(args, kEps, "eps", 0, kLargest, "at least 0");
  check_range(args, kWeightDecay, "weight_decay", 0, kLargest, "at least 0");
}

constexpr ListSlot kStepSlots[] = {{"params", Form::Like},
                                   {"grads", Form::Like},
                                   {"square_avg", Form::Like},
                                   {"acc_delta", Form::Like},
                                   {"step", Form::Scalar}};
constexpr auto kRowsSlots = rows_of(kStepSlots);

template <bool rows>
void compose(sdk::Compose& c) {
  const double rho = c.attrs.real(kRho), eps = c.attrs.real(kEps);
  const double weight_decay = c.attrs.real(kWeightDecay);
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
    sdk::op({.name = "tenon.adadelta_step",
             .schema = "adadelta_step(params!: T[...]*, grads: T[...]*, square_avg!: U[...]*, "
                       "acc_delta!: U[...]*, step!: i64[]*, lr: f64[], *, rho: float=0.9, eps: "
                       "float=1e-06, weight_decay: float=0.0) -> () where T: float; U: float",
             .doc = R"(One step of Adadelta on each parameter, in place.

    g = g + weight_decay * p
    v = rho * v + (1 - rho) * g * g
    d = sqrt(u + eps) / sqrt(v + eps) * g
    u = rho * u + (1 - rho) * d * d
    p = p - lr * d

Each entry of `step` counts the steps of its parameter and is advanced by one.

Source: Zeiler, arXiv:1212.5701, in the order of `torch.optim.Adadelta`.
Arithmetic: f32 for 16-bit and f32 parameters, f64 for f64; each operation rounded by itself.)",
             .infer = sdk::infer_fn<infer<kStepSlots, check_attrs>>,
             .compose = sdk::compose_fn<compose<false>>}),
    sdk::op(
        {.name = "tenon.adadelta_rows",
         .schema =
             "adadelta_rows(params!: T[...]*, indices: i64[...]*, values: T[...]*, square_avg!: "
             "U[...]*, acc_delta!: U[...]*, step!: i64[]*, lr: f64[], *, rho: float=0.9, eps: "
             "float=1e-06, weight_decay: float=0.0) -> () where T: float; U: float",
         .doc = R"(One step of `tenon.adadelta_step` on the given rows of each parameter alone.

`values` holds the gradients of the rows `indices`; of a row given twice the last one counts. A row
that is not given is left as it is, its means included. The step count belongs to the parameter,
not to the row, and is advanced by one.)",
         .infer = sdk::infer_fn<infer<kRowsSlots, check_attrs>>,
         .compose = sdk::compose_fn<compose<true>>})};

constexpr tenon_hyper_desc kHypers[] = {
    {str("lr"), str("learning rate"), TENON_HYPER_DYNAMIC, TENON_VALUE_F64, 1.0, 0, kLargest},
    {str("rho"), str("share of the means that is kept"), 0, TENON_VALUE_F64, 0.9, 0, 1},
    {str("eps"), str("added below the roots, against division by 0"), 0, TENON_VALUE_F64, 1e-6, 0,
     kLargest},
    {str("weight_decay"), str("L2 penalty, added to the gradient"), 0, TENON_VALUE_F64, 0, 0,
     kLargest}};

constexpr tenon_state_desc kStates[] = {
    {str("square_avg"), str("running mean of squared gradients, v"), TENON_STATE_LIKE_PARAMETER,
     TENON_DTYPE_NONE, 0},
    {str("acc_delta"), str("running mean of squared steps, u"), TENON_STATE_LIKE_PARAMETER,
     TENON_DTYPE_NONE, 0},
    {str("step"), str("steps made"), TENON_STATE_SCALAR, TENON_DTYPE_I64, 0}};

constexpr tenon_optimizer_desc kOptimizers[] = {
    {sizeof(tenon_optimizer_desc), 0, str("tenon.adadelta"),
     str("Adadelta with L2 penalty, as torch.optim.Adadelta. Rows of sparse gradients are updated "
         "alone, with their means."),
     str("tenon.adadelta_step"), str("tenon.adadelta_rows"), kHypers, kStates, std::size(kHypers),
     std::size(kStates)}};

constexpr std::string_view kRanges[] = {"(0,1)", "(0,1)"};
constexpr RefusedAttrs kRefused[] = {{"rho=1.5", "rho must be from 0 to 1"},
                                     {"eps=nan", "eps must be at least 0"},
                                     {"weight_decay=-1.0", "weight_decay must be at least 0"}};
constexpr RuleSamples kRule = {.step = "tenon.adadelta_step",
                               .rows = "tenon.adadelta_rows",
                               .states = kRanges,
                               .some_attrs = "rho=0.5, weight_decay=0.1",
                               .other_attrs = "eps=1e-3",
                               .first_state = "square_avg[0]",
                               .refused = kRefused};
constexpr auto kSamples = kRuleCalls<kRule>.samples();

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

constexpr auto kTolerances = step_tolerances("tenon.adadelta_step", "tenon.adadelta_rows");

}  // namespace

TENON_UNIT(adadelta) = {.ops = kOps,
                        .samples = kSamples,
                        .optimizers = kOptimizers,
                        .tolerances = kTolerances,
                        .optimizer_samples = kOptimizerSamples};
