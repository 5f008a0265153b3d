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
#include <tenon/sdk/op.hpp>
#include <tenon/sdk/plugin.hpp>

#include "compose.hpp"
#include "samples.hpp"
#include "step.hpp"

namespace {

using namespace tenon::optim;
namespace sdk = tenon::sdk;
using sdk::str;

enum Attr : uint32_t { kLrDecay, kWeightDecay, kEps };

void check_attrs(const sdk::Args& args) {
  check_range(args, kLrDecay, "lr_decay", 0, kLargest, "at least 0");
  check_range(args, kWeightDecay, "weight_decay", 0, kLargest, "at least 0");
  check_range(args, kEps, "eps", 0, kLargest, "at least 0");
}

constexpr ListSlot kStepSlots[] = {
    {"params", Form::Like}, {"grads", Form::Like}, {"sum", Form::Like}, {"step", Form::Scalar}};
constexpr auto kRowsSlots = rows_of(kStepSlots);

template <bool rows>
void compose(sdk::Compose& c) {
  const double weight_decay = c.attrs.real(kWeightDecay);
  for (uint32_t item = 0; item < c.in(0).count; ++item) {
    Update<rows> u(c, 1, item);
    const auto p = u.hold_param(), sum = u.hold_state(0);
    const sdk::Value before = u.cast(u.step(), TENON_DTYPE_F64);
    const sdk::Value slower = u.add(u.mul(before, c.attrs.real(kLrDecay)), 1.0);
    const sdk::Value back = u.to_c(u.call("tenon.neg", u.div(u.lr(), slower)));
    sdk::Value g = u.grad();
    if (weight_decay != 0) g = u.add(g, u.mul(p.now, weight_decay));
    u.add_product(sum, g, g, 1.0);
    const sdk::Value root = u.add(u.call("tenon.sqrt", sum.now), c.attrs.real(kEps));
    u.add_quotient(p, u.mul(g, back), root);
    u.keep(sum);
    u.keep(p);
    u.count_step();
  }
}

constexpr tenon_op_desc kOps[] = {
    sdk::op({.name = "tenon.adagrad_step",
             .schema = "adagrad_step(params!: T[...]*, grads: T[...]*, sum!: U[...]*, step!: "
                       "i64[]*, lr: f64[], *, lr_decay: float=0.0, weight_decay: float=0.0, eps: "
                       "float=1e-10) -> () where T: float; U: float",
             .doc = R"(One step of Adagrad on each parameter, in place.

    t = t + 1
    g = g + weight_decay * p
    s = s + g * g
    p = p - lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps)

Each entry of `step` counts the steps of its parameter and is advanced by one.

Source: Duchi, Hazan, Singer, JMLR 12, 2011, in the order of `torch.optim.Adagrad`.
Arithmetic: f32 for 16-bit and f32 parameters, f64 for f64; each operation rounded by itself.)",
             .infer = sdk::infer_fn<infer<kStepSlots, check_attrs>>,
             .compose = sdk::compose_fn<compose<false>>}),
    sdk::op({.name = "tenon.adagrad_rows",
             .schema = "adagrad_rows(params!: T[...]*, indices: i64[...]*, values: T[...]*, sum!: "
                       "U[...]*, step!: i64[]*, lr: f64[], *, lr_decay: float=0.0, weight_decay: "
                       "float=0.0, eps: float=1e-10) -> () where T: float; U: float",
             .doc = R"(One step of `tenon.adagrad_step` on the given rows of each parameter alone.

`values` holds the gradients of the rows `indices`; of a row given twice the last one counts. A row
that is not given is left as it is, its sum included. The step count belongs to the parameter, not
to the row, and is advanced by one.)",
             .infer = sdk::infer_fn<infer<kRowsSlots, check_attrs>>,
             .compose = sdk::compose_fn<compose<true>>})};

constexpr tenon_hyper_desc kHypers[] = {
    {str("lr"), str("learning rate"), TENON_HYPER_DYNAMIC, TENON_VALUE_F64, 1e-2, 0, kLargest},
    {str("lr_decay"), str("how much slower each step is"), 0, TENON_VALUE_F64, 0, 0, kLargest},
    {str("weight_decay"), str("L2 penalty, added to the gradient"), 0, TENON_VALUE_F64, 0, 0,
     kLargest},
    {str("eps"), str("added to the root, against division by 0"), 0, TENON_VALUE_F64, 1e-10, 0,
     kLargest}};

constexpr tenon_state_desc kStates[] = {
    {str("sum"),
     str("sum of squared gradients, s; tenon_optimizer_set_state gives it another beginning"),
     TENON_STATE_LIKE_PARAMETER, TENON_DTYPE_NONE, 0},
    {str("step"), str("steps made"), TENON_STATE_SCALAR, TENON_DTYPE_I64, 0}};

constexpr tenon_optimizer_desc kOptimizers[] = {
    {sizeof(tenon_optimizer_desc), 0, str("tenon.adagrad"),
     str("Adagrad with learning rate decay and L2 penalty, as torch.optim.Adagrad. Rows of sparse "
         "gradients are updated alone, with their sums."),
     str("tenon.adagrad_step"), str("tenon.adagrad_rows"), kHypers, kStates, std::size(kHypers),
     std::size(kStates)}};

constexpr std::string_view kRanges[] = {"(0,1)"};
constexpr RefusedAttrs kRefused[] = {{"eps=nan", "eps must be at least 0"},
                                     {"lr_decay=-1.0", "lr_decay must be at least 0"},
                                     {"weight_decay=-1.0", "weight_decay must be at least 0"}};
constexpr RuleSamples kRule = {.step = "tenon.adagrad_step",
                               .rows = "tenon.adagrad_rows",
                               .states = kRanges,
                               .some_attrs = "lr_decay=0.1, weight_decay=0.1",
                               .other_attrs = "eps=1e-3",
                               .first_state = "sum[0]",
                               .refused = kRefused};
constexpr auto kSamples = kRuleCalls<kRule>.samples();

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

constexpr auto kTolerances = step_tolerances("tenon.adagrad_step", "tenon.adagrad_rows");

}  // namespace

TENON_UNIT(adagrad) = {.ops = kOps,
                       .samples = kSamples,
                       .optimizers = kOptimizers,
                       .tolerances = kTolerances,
                       .optimizer_samples = kOptimizerSamples};
