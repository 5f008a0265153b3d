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

constexpr tenon_sample kSamples[] = {
    sdk::sample("tenon.rmsprop_step",
                "[f32[3,2]], [f32[3,2]], [f32[3,2](1,2)], [f32[3,2](-0.5,0.5)], [f32[3,2]], "
                "[i64[]{0}], f64[]{0.1}"),
    sdk::sample("tenon.rmsprop_step",
                "[f32[2,3,4], f32[5]], [f32[2,3,4], f32[5]], [f32[2,3,4](1,2), f32[5](1,2)], "
                "[f32[2,3,4](-0.5,0.5), f32[5](-0.5,0.5)], [f32[2,3,4], f32[5]], [i64[]{3}, "
                "i64[]{20}], f64[]{0.01} | centered=true, weight_decay=0.1"),
    sdk::sample("tenon.rmsprop_step",
                "[f64[4]], [f64[4]], [f64[4](1,2)], [f64[4](-0.5,0.5)], [f64[4]], [i64[]{1}], "
                "f64[]{0.01} | momentum=0.9, alpha=0.9"),
    sdk::sample("tenon.rmsprop_step",
                "[f32[2,3,4], f32[5]], [f32[2,3,4], f32[5]], [f32[2,3,4](1,2), f32[5](1,2)], "
                "[f32[2,3,4](-0.5,0.5), f32[5](-0.5,0.5)], [f32[2,3,4], f32[5]], [i64[]{3}, "
                "i64[]{20}], f64[]{0.01} | centered=true, momentum=0.5, eps=1e-3"),
    sdk::sample("tenon.rmsprop_step",
                "[f64[2,2]], [f64[2,2]], [f64[2,2](1,2)], [f64[2,2](-0.5,0.5)], [f64[2,2]], "
                "[i64[]{7}], f64[]{0.05}"),
    sdk::sample("tenon.rmsprop_step",
                "[bf16[4,1]], [bf16[4,1]], [f32[4,1](1,2)], [f32[4,1](-0.5,0.5)], [f32[4,1]], "
                "[i64[]{1}], f64[]{0.5}"),
    sdk::sample(
        "tenon.rmsprop_step",
        "[f16[], f16[0,2]], [f16[], f16[0,2]], [f16[](1,2), f16[0,2](1,2)], [f16[](-0.5,0.5), "
        "f16[0,2](-0.5,0.5)], [f16[], f16[0,2]], [i64[]{1}, i64[]{2}], f64[]{0.1}"),
    sdk::sample("tenon.rmsprop_step", "[], [], [], [], [], [], f64[]{0.1}"),
    sdk::sample("tenon.rmsprop_step",
                "[f32[2,1,3,2]], [f32[2,1,3,2]], [f32[2,1,3,2](1,2)], [f32[2,1,3,2](-0.5,0.5)], "
                "[f32[2,1,3,2]], [i64[]{4}], f64[]{0.05} | centered=true, weight_decay=0.1"),
    sdk::sample("tenon.rmsprop_step",
                "[f32[4]{nan,inf,1.0,-0.0}], [f32[4]{1.0,-1.0,nan,0.5}], [f32[4](1,2)], "
                "[f32[4](-0.5,0.5)], [f32[4]], [i64[]{1}], f64[]{0.5}"),
    sdk::sample("tenon.rmsprop_rows",
                "[f32[5,2]], [i64[2]{1,3}], [f32[2,2]], [f32[5,2](1,2)], [f32[5,2](-0.5,0.5)], "
                "[f32[5,2]], [i64[]{2}], f64[]{0.1} | centered=true, weight_decay=0.1"),
    sdk::sample("tenon.rmsprop_rows",
                "[f64[4,2,2], f64[3]], [i64[0], i64[3]{0,1,2}], [f64[0,2,2], f64[3]], "
                "[f64[4,2,2](1,2), f64[3](1,2)], [f64[4,2,2](-0.5,0.5), f64[3](-0.5,0.5)], "
                "[f64[4,2,2], f64[3]], [i64[]{0}, i64[]{0}], f64[]{0.1}"),
    sdk::sample("tenon.rmsprop_rows", "[], [], [], [], [], [], [], f64[]{0.1}"),
    sdk::sample("tenon.rmsprop_rows",
                "[f32[1,3]], [i64[1]{0}], [f32[1,3]], [f32[1,3](1,2)], [f32[1,3](-0.5,0.5)], "
                "[f32[1,3]], [i64[]{1}], f64[]{0.5}"),
    sdk::sample("tenon.rmsprop_rows",
                "[bf16[4,2]], [i64[2]{0,3}], [bf16[2,2]], [f32[4,2](1,2)], [f32[4,2](-0.5,0.5)], "
                "[f32[4,2]], [i64[]{3}], f64[]{0.1}"),
    sdk::sample("tenon.rmsprop_rows",
                "[f16[4]], [i64[3]{0,1,3}], [f16[3]], [f16[4](1,2)], [f16[4](-0.5,0.5)], [f16[4]], "
                "[i64[]{1}], f64[]{0.1}"),
    sdk::sample("tenon.rmsprop_rows",
                "[f32[0,3]], [i64[0]], [f32[0,3]], [f32[0,3](1,2)], [f32[0,3](-0.5,0.5)], "
                "[f32[0,3]], [i64[]{1}], f64[]{0.1}"),
    sdk::refused("tenon.rmsprop_step",
                 "[f32[3]], [f32[3]], [f32[3](1,2)], [f32[3](-0.5,0.5)], [f32[3]], [], f64[]{0.1}",
                 TENON_E_ARGUMENT, "step has 0 tensors for 1 parameters"),
    sdk::refused("tenon.rmsprop_step",
                 "[f32[3,2]], [f32[2,3]], [f32[3,2](1,2)], [f32[3,2](-0.5,0.5)], [f32[3,2]], "
                 "[i64[]{0}], f64[]{0.1}",
                 TENON_E_SHAPE, "grads[0]"),
    sdk::refused(
        "tenon.rmsprop_step",
        "[f32[3]], [f32[3]], [f32[4](1,2)], [f32[4](-0.5,0.5)], [f32[4]], [i64[]{0}], f64[]{0.1}",
        TENON_E_SHAPE, "square_avg[0]"),
    sdk::refused(
        "tenon.rmsprop_step",
        "[f32[3]], [f64[3]], [f32[3](1,2)], [f32[3](-0.5,0.5)], [f32[3]], [i64[]{0}], f64[]{0.1}",
        TENON_E_DTYPE, "grads"),
    sdk::refused(
        "tenon.rmsprop_step",
        "[i32[3]], [i32[3]], [f32[3](1,2)], [f32[3](-0.5,0.5)], [f32[3]], [i64[]{0}], f64[]{0.1}",
        TENON_E_DTYPE, "i32"),
    sdk::refused("tenon.rmsprop_step",
                 "[f32[3]], [f32[3]], [f32[3](1,2)], [f32[3](-0.5,0.5)], [f32[3]], [i64[]{0}]",
                 TENON_E_ARGUMENT, "number of operands"),
    sdk::refused("tenon.rmsprop_step",
                 "[f32[3]], [f32[3]], [f32[3](1,2)], [f32[3](-0.5,0.5)], [f32[3]], [i64[]{0}], "
                 "f64[]{0.1} | alpha=1.5",
                 TENON_E_ATTRIBUTE, "alpha must be from 0 to 1"),
    sdk::refused("tenon.rmsprop_step",
                 "[f32[3]], [f32[3]], [f32[3](1,2)], [f32[3](-0.5,0.5)], [f32[3]], [i64[]{0}], "
                 "f64[]{0.1} | eps=nan",
                 TENON_E_ATTRIBUTE, "eps must be at least 0"),
    sdk::refused("tenon.rmsprop_step",
                 "[f32[3]], [f32[3]], [f32[3](1,2)], [f32[3](-0.5,0.5)], [f32[3]], [i64[]{0}], "
                 "f64[]{0.1} | momentum=-0.5",
                 TENON_E_ATTRIBUTE, "momentum must be at least 0"),
    sdk::refused("tenon.rmsprop_step",
                 "[f32[3]], [f32[3]], [f32[3](1,2)], [f32[3](-0.5,0.5)], [f32[3]], [i64[]{0}], "
                 "f64[]{0.1} | weight_decay=-1.0",
                 TENON_E_ATTRIBUTE, "weight_decay must be at least 0"),
    sdk::refused("tenon.rmsprop_rows",
                 "[f32[5,2]], [i64[2]{1,3}], [f32[2,3]], [f32[5,2](1,2)], [f32[5,2](-0.5,0.5)], "
                 "[f32[5,2]], [i64[]{2}], f64[]{0.1}",
                 TENON_E_SHAPE, "values[0]"),
    sdk::refused("tenon.rmsprop_rows",
                 "[f32[5]], [i64[1]{5}], [f32[1]], [f32[5](1,2)], [f32[5](-0.5,0.5)], [f32[5]], "
                 "[i64[]{2}], f64[]{0.1}",
                 TENON_E_DATA, "outside the table's 5 rows"),
    sdk::refused("tenon.rmsprop_rows",
                 "[f32[5]], [i32[1]{1}], [f32[1]], [f32[5](1,2)], [f32[5](-0.5,0.5)], [f32[5]], "
                 "[i64[]{2}], f64[]{0.1}",
                 TENON_E_DTYPE, "indices"),
    sdk::refused("tenon.rmsprop_rows",
                 "[f32[5]], [i64[1]{1}], [f32[1]], [f32[5](1,2)], [f32[5](-0.5,0.5)], [f32[5]], "
                 "[i64[]{2}], f64[]{0.1} | alpha=1.5",
                 TENON_E_ATTRIBUTE, "alpha must be from 0 to 1"),
    sdk::refused("tenon.rmsprop_rows",
                 "[f32[]], [i64[1]{0}], [f32[1]], [f32[](1,2)], [f32[](-0.5,0.5)], [f32[]], "
                 "[i64[]{2}], f64[]{0.1}",
                 TENON_E_SHAPE, "rank 0 has no rows")};

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
