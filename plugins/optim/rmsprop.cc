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
#include <tenon/sdk/op.hpp>
#include <tenon/sdk/plugin.hpp>

#include "compose.hpp"
#include "samples.hpp"
#include "step.hpp"

namespace {

using namespace tenon::optim;
namespace sdk = tenon::sdk;
using sdk::str;

enum Attr : uint32_t { kAlpha, kEps, kWeightDecay, kMomentum, kCentered };

void check_attrs(const sdk::Args& args) {
  check_range(args, kAlpha, "alpha", 0, 1, "from 0 to 1");
  check_range(args, kEps, "eps", 0, kLargest, "at least 0");
  check_range(args, kWeightDecay, "weight_decay", 0, kLargest, "at least 0");
  check_range(args, kMomentum, "momentum", 0, kLargest, "at least 0");
}

constexpr ListSlot kStepSlots[] = {{"params", Form::Like},          {"grads", Form::Like},
                                   {"square_avg", Form::Like},      {"grad_avg", Form::Like},
                                   {"momentum_buffer", Form::Like}, {"step", Form::Scalar}};
constexpr auto kRowsSlots = rows_of(kStepSlots);

template <bool rows>
void compose(sdk::Compose& c) {
  const double alpha = c.attrs.real(kAlpha), momentum = c.attrs.real(kMomentum);
  const double weight_decay = c.attrs.real(kWeightDecay);
  for (uint32_t item = 0; item < c.in(0).count; ++item) {
    Update<rows> u(c, 3, item);
    const auto p = u.hold_param(), v = u.hold_state(0);
    const sdk::Value back = u.to_c(u.call("tenon.neg", u.lr()));
    sdk::Value g = u.grad();
    if (weight_decay != 0) g = u.add(g, u.mul(p.now, weight_decay));
    u.scale(v, alpha);
    u.add_product(v, g, g, 1 - alpha);
    sdk::Value square = v.now;
    if (c.attrs.flag(kCentered)) {
      const auto mean = u.hold_state(1);
      u.scale(mean, alpha);
      u.add_product(mean, g, 1.0, 1 - alpha);
      square = u.sub(square, u.mul(mean.now, mean.now));
      u.keep(mean);
    }
    const sdk::Value root = u.add(u.call("tenon.sqrt", square), c.attrs.real(kEps));
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
    sdk::op({.name = "tenon.rmsprop_step",
             .schema = "rmsprop_step(params!: T[...]*, grads: T[...]*, square_avg!: U[...]*, "
                       "grad_avg!: U[...]*, momentum_buffer!: U[...]*, step!: i64[]*, lr: f64[], "
                       "*, alpha: float=0.99, eps: float=1e-08, weight_decay: float=0.0, momentum: "
                       "float=0.0, centered: bool=false) -> () where T: float; U: float",
             .doc = R"(One step of RMSprop on each parameter, in place.

    g = g + weight_decay * p
    v = alpha * v + (1 - alpha) * g * g
    a = alpha * a + (1 - alpha) * g,  v' = v - a * a     with centered, else v' = v
    d = g / (sqrt(v') + eps)
    b = momentum * b + d,  d = b                         with momentum
    p = p - lr * d

Each entry of `step` counts the steps of its parameter and is advanced by one.

Source: Tieleman, Hinton, 2012; Graves, arXiv:1308.0850; in the order of `torch.optim.RMSprop`.
Arithmetic: f32 for 16-bit and f32 parameters, f64 for f64; each operation rounded by itself.)",
             .infer = sdk::infer_fn<infer<kStepSlots, check_attrs>>,
             .compose = sdk::compose_fn<compose<false>>}),
    sdk::op({.name = "tenon.rmsprop_rows",
             .schema =
                 "rmsprop_rows(params!: T[...]*, indices: i64[...]*, values: T[...]*, square_avg!: "
                 "U[...]*, grad_avg!: U[...]*, momentum_buffer!: U[...]*, step!: i64[]*, lr: "
                 "f64[], *, alpha: float=0.99, eps: float=1e-08, weight_decay: float=0.0, "
                 "momentum: float=0.0, centered: bool=false) -> () where T: float; U: float",
             .doc = R"(One step of `tenon.rmsprop_step` on the given rows of each parameter alone.

`values` holds the gradients of the rows `indices`; of a row given twice the last one counts. A row
that is not given is left as it is, its means and buffer included. The step count belongs to the
parameter, not to the row, and is advanced by one.)",
             .infer = sdk::infer_fn<infer<kRowsSlots, check_attrs>>,
             .compose = sdk::compose_fn<compose<true>>})};

constexpr tenon_hyper_desc kHypers[] = {
    {str("lr"), str("learning rate"), TENON_HYPER_DYNAMIC, TENON_VALUE_F64, 1e-2, 0, kLargest},
    {str("alpha"), str("share of the mean of squared gradients that is kept"), 0, TENON_VALUE_F64,
     0.99, 0, 1},
    {str("eps"), str("added to the root, against division by 0"), 0, TENON_VALUE_F64, 1e-8, 0,
     kLargest},
    {str("weight_decay"), str("L2 penalty, added to the gradient"), 0, TENON_VALUE_F64, 0, 0,
     kLargest},
    {str("momentum"), str("share of the buffer that is kept; 0: no momentum"), 0, TENON_VALUE_F64,
     0, 0, kLargest},
    {str("centered"), str("divide by an estimate of the deviation"), 0, TENON_VALUE_BOOL, 0, 0, 1}};

constexpr tenon_state_desc kStates[] = {
    {str("square_avg"), str("running mean of squared gradients, v"), TENON_STATE_LIKE_PARAMETER,
     TENON_DTYPE_NONE, 0},
    {str("grad_avg"), str("running mean of gradients, a; used with centered"),
     TENON_STATE_LIKE_PARAMETER, TENON_DTYPE_NONE, 0},
    {str("momentum_buffer"), str("running direction, b; used with momentum"),
     TENON_STATE_LIKE_PARAMETER, TENON_DTYPE_NONE, 0},
    {str("step"), str("steps made"), TENON_STATE_SCALAR, TENON_DTYPE_I64, 0}};

constexpr tenon_optimizer_desc kOptimizers[] = {
    {sizeof(tenon_optimizer_desc), 0, str("tenon.rmsprop"),
     str("RMSprop, centered where wanted, with momentum and L2 penalty, as torch.optim.RMSprop. "
         "Rows of sparse gradients are updated alone, with their means."),
     str("tenon.rmsprop_step"), str("tenon.rmsprop_rows"), kHypers, kStates, std::size(kHypers),
     std::size(kStates)}};

constexpr std::string_view kRanges[] = {"(1,2)", "(-0.5,0.5)", ""};
constexpr RefusedAttrs kRefused[] = {{"alpha=1.5", "alpha must be from 0 to 1"},
                                     {"eps=nan", "eps must be at least 0"},
                                     {"momentum=-0.5", "momentum must be at least 0"},
                                     {"weight_decay=-1.0", "weight_decay must be at least 0"}};
constexpr RuleSamples kRule = {.step = "tenon.rmsprop_step",
                               .rows = "tenon.rmsprop_rows",
                               .states = kRanges,
                               .some_attrs = "centered=true, weight_decay=0.1",
                               .other_attrs = "momentum=0.9, alpha=0.9",
                               .more_attrs = "centered=true, momentum=0.5, eps=1e-3",
                               .first_state = "square_avg[0]",
                               .refused = kRefused};
constexpr auto kSamples = kRuleCalls<kRule>.samples();

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

constexpr auto kTolerances = step_tolerances("tenon.rmsprop_step", "tenon.rmsprop_rows");

}  // namespace

TENON_UNIT(rmsprop) = {.ops = kOps,
                       .samples = kSamples,
                       .optimizers = kOptimizers,
                       .tolerances = kTolerances,
                       .optimizer_samples = kOptimizerSamples};
