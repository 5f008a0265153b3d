// SPDX-License-Identifier: Apache-2.0
// plugins/ops/loss/binary_cross_entropy_with_logits.cc: binary_cross_entropy_with_logits, the loss
// of yes-or-no questions.
//
// y = reduction of w ((1 - t) x - l log_sigmoid(x)), l = 1 + (p - 1) t, with t the target, w the
// weight, p pos_weight;
// dx = g w (l sigmoid(x) - p t),  dt = -g w (x + (p - 1) log_sigmoid(x)),
// dw = g ((1 - t) x - l log_sigmoid(x)),  dp = -g w t log_sigmoid(x), with g = dy / n for the mean.
// Source: PyTorch's `binary_cross_entropy_with_logits`.
#include "loss/reduction.hpp"

namespace {

namespace loss = tenon::loss;
namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.binary_cross_entropy_with_logits";

constexpr std::string_view doc =
    R"(The cross-entropy of answers `target`, from 0 to 1, and of `sigmoid(x)`: `-weight *
(pos_weight * target * log(sigmoid(x)) + (1 - target) * log(1 - sigmoid(x)))`, without taking the
logarithm of small numbers. `x` and `target` have one shape, to which `weight` and `pos_weight` are
broadcast; without them they are 1. Of these the mean (not divided by the weights), with `reduction`
"sum" the sum, with "none" each of them. The mean of nothing is NaN.

Gradient: with `l = 1 + (pos_weight - 1) * target` and `g = dy / n` for the mean, else `dy`: `dx = g
* weight * (l * sigmoid(x) - pos_weight * target)`; `dtarget = -g * weight * (x + (pos_weight - 1) *
log(sigmoid(x)))`; `dweight = g` times the term without it; `dpos_weight = -g * weight * target *
log(sigmoid(x))`.

Source: PyTorch, `binary_cross_entropy_with_logits`.

Canonical arithmetic: `(1 - target) * x - l * logsigmoid(x)`, times `weight`, and the reduction, in
that of the ops, `tenon.logsigmoid` among them; in f32 for f16 and bf16, which are rounded at the
end.)";

enum Input : uint32_t { kX, kTarget, kWeight, kPosWeight, kInputs };

void need_broadcast(const sdk::Args& args, uint32_t slot, const char* operand) {
  if (!args.given(slot) || rules::broadcasts_to(args.shape(slot), args.shape(kX))) return;
  throw sdk::Failure{TENON_E_SHAPE, std::string(operand) + " does not broadcast to the shape of x",
                     operand, sdk::shape_text(args.shape(kX)), sdk::shape_text(args.shape(slot))};
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  if (!std::ranges::equal(args.shape(kX), args.shape(kTarget))) {
    throw sdk::Failure{TENON_E_SHAPE, "target must have the shape of x", "target",
                       sdk::shape_text(args.shape(kX)), sdk::shape_text(args.shape(kTarget))};
  }
  need_broadcast(args, kWeight, "weight");
  need_broadcast(args, kPosWeight, "pos_weight");
  loss::set_loss_shape(out[0], loss::reduction_of(args.attrs[0]), args.shape(kX));
}

// The operands in the dtype of the arithmetic; weights may be NULL.
struct Operands {
  tenon_tensor* x;
  tenon_tensor* target;
  tenon_tensor* weight;
  tenon_tensor* pos_weight;
  tenon_dtype dtype;  // of the result
};

template <class Rule>
Operands operands(Rule& rule, const std::array<sdk::Value, kInputs>& given) {
  const tenon_dtype dtype = loss::dtype_of(rule, {given[0], given[1], given[2], given[3]});
  const auto wide = [&](Input i) {
    return given[i].is_none() ? nullptr : loss::wide_operand(rule, given[i], dtype);
  };
  return {wide(kX), wide(kTarget), wide(kWeight), wide(kPosWeight), dtype};
}

// y, or y times the weight if there is one.
tenon_tensor* times(sdk::Calls& calls, tenon_tensor* y, tenon_tensor* weight) {
  return weight == nullptr ? y : calls.call("tenon.mul", {y, weight});
}

// y, or y (1 + (p - 1) t).
tenon_tensor* times_slope(sdk::Calls& calls, const Operands& o, tenon_tensor* y) {
  if (o.pos_weight == nullptr) return y;
  tenon_tensor* more =
      calls.call("tenon.mul", {calls.call("tenon.sub", {o.pos_weight, 1}), o.target});
  return calls.call("tenon.mul", {y, calls.call("tenon.add", {more, 1})});
}

// Before the weight.
tenon_tensor* terms_of(sdk::Calls& calls, const Operands& o) {
  tenon_tensor* against = calls.call("tenon.mul", {calls.call("tenon.sub", {1, o.target}), o.x});
  tenon_tensor* logarithm = calls.call("tenon.logsigmoid", {o.x});
  return calls.call("tenon.sub", {against, times_slope(calls, o, logarithm)});
}

void compose(sdk::Compose& c) {
  const Operands o = operands(c, {c.in(kX), c.in(kTarget), c.in(kWeight), c.in(kPosWeight)});
  tenon_tensor* terms = times(c, terms_of(c, o), o.weight);
  terms = loss::reduced(c, terms, loss::reduction_of(c.attrs[0]));
  c.set(0, rules::rounded_to(c, terms, o.dtype));
}

// x + (p - 1) log_sigmoid(x), of which -g w is the gradient's factor.
tenon_tensor* target_slope(sdk::Vjp& v, const Operands& o) {
  if (o.pos_weight == nullptr) return o.x;
  tenon_tensor* more = v.call("tenon.sub", {o.pos_weight, 1});
  more = v.call("tenon.mul", {more, v.call("tenon.logsigmoid", {o.x})});
  return v.call("tenon.add", {o.x, more});
}

void vjp(sdk::Vjp& v) {
  const Operands o = operands(v, {v.in(kX), v.in(kTarget), v.in(kWeight), v.in(kPosWeight)});
  const int64_t count = sdk::count_of(rules::shape_of(v.meta(o.x)));
  tenon_tensor* dy = loss::term_gradient(v, loss::reduction_of(v.attr(0)), count, o.dtype);
  const auto set = [&](Input i, tenon_tensor* slope) {
    loss::set_rounded_grad(v, i, v.call("tenon.mul", {dy, slope}), o.dtype);
  };
  if (v.wants(kWeight)) set(kWeight, terms_of(v, o));
  dy = times(v, dy, o.weight);
  if (v.wants(kX)) {
    tenon_tensor* sure = times_slope(v, o, v.call("tenon.sigmoid", {o.x}));
    set(kX, v.call("tenon.sub", {sure, times(v, o.target, o.pos_weight)}));
  }
  if (v.wants(kTarget)) set(kTarget, v.call("tenon.neg", {target_slope(v, o)}));
  if (v.wants(kPosWeight)) {
    tenon_tensor* slope = v.call("tenon.mul", {o.target, v.call("tenon.logsigmoid", {o.x})});
    set(kPosWeight, v.call("tenon.neg", {slope}));
  }
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "binary_cross_entropy_with_logits(x: T[...], target: T[...], weight: "
                       "T[...]?, pos_weight: T[...]?, *, reduction: str=\"mean\") -> T[...] where "
                       "T: float promote",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr uint64_t all =
    sdk::bit(kX) | sdk::bit(kTarget) | sdk::bit(kWeight) | sdk::bit(kPosWeight);
constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = all}),
    sdk::need({.inputs = all}),
    sdk::need({.inputs = all}),
    sdk::need({.inputs = all}),
};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3](-2,2), f64[2,3](0,1)"),
    sdk::sample(name, "f64[2,3](-2,2), f64[2,3](0,1) | reduction=\"sum\""),
    sdk::sample(name, "f64[2,3](-2,2), f64[2,3](0,1) | reduction=\"none\""),
    sdk::sample(name, "f64[2,3](-2,2), f64[2,3](0,1), f64[3](0.5,2)"),
    sdk::sample(name, "f64[2,3](-2,2), f64[2,3](0,1), none, f64[3](0.5,2)"),
    sdk::sample(name,
                "f64[2,3](-2,2), f64[2,3](0,1), f64[2,1](0.5,2), f64[3](0.5,2) | "
                "reduction=\"none\""),
    sdk::sample(name,
                "f64[2,1,3,2](-2,2), f64[2,1,3,2](0,1), f64[3,1](0.5,2), f64[](0.5,2) | "
                "reduction=\"sum\""),
    sdk::sample(name, "f64[](-2,2), f64[](0,1)"),
    sdk::sample(name, "f64[](-2,2), 0.75"),
    sdk::sample(name, "f64[1,1](-2,2), f64[1,1](0,1), 0.5, 3.0"),
    sdk::sample(name, "f64[4](-2,2), f64[4]{0.0,1.0,1.0,0.0}, f64[4]{1.0,0.0,2.0,0.0}"),
    sdk::sample(name, "f64[0,3], f64[0,3]"),
    sdk::sample(name, "f64[0,3], f64[0,3], f64[3] | reduction=\"sum\""),
    sdk::sample(name, "f64[0,3], f64[0,3] | reduction=\"none\""),
    sdk::sample(name, "f32[60](-6,6), f32[60](0,1)"),
    sdk::sample(name, "f32[3](-2,2), f16[3](0,1), f64[3](0.5,2)"),
    sdk::sample(name, "f32[3](-2,2), i32[3]{0,1,1}"),
    sdk::sample(name,
                "f32[8]{100.0,-100.0,100.0,-100.0,20.0,-20.0,1e30,-1e30}, "
                "f32[8]{1.0,0.0,0.0,1.0,1.0,0.0,1.0,0.0} | reduction=\"none\""),
    sdk::sample(name,
                "f64[6]{1000.0,-1000.0,40.0,-40.0,0.0,-0.0}, "
                "f64[6]{1.0,0.0,1.0,0.0,0.5,0.5}, none, 3.0 | reduction=\"none\""),
    sdk::sample(name, "f16[4]{65504.0,-9.0,6e-8,-60000.0}, f16[4]{0.0,0.5,1.0,0.0}"),
    sdk::sample(name,
                "bf16[4]{3e38,-9.0,9.2e-41,-3e38}, bf16[4]{0.0,0.5,1.0,0.0} | "
                "reduction=\"none\""),
    sdk::sample(name,
                "f32[6]{inf,-inf,inf,nan,1.0,2.0}, f32[6]{0.0,1.0,0.5,0.5,nan,inf} | "
                "reduction=\"none\""),
    sdk::sample(name, "f32[2]{3.4028235e38,1e-45}, f32[2]{1.0,1.1754944e-38}"),
    sdk::sample(name, "f64[2]{1.7976931348623157e308,5e-324}, f64[2]{0.0,1.0}"),
    sdk::refused(name, "f32[2,3], f32[3]", TENON_E_SHAPE, "target must have the shape of x"),
    sdk::refused(name, "f32[2,3], 1.0", TENON_E_SHAPE, "target must have the shape of x"),
    sdk::refused(name, "f32[2,3], f32[2,3], f32[2]", TENON_E_SHAPE, "weight does not broadcast"),
    sdk::refused(name, "f32[3], f32[3], f32[2,3]", TENON_E_SHAPE, "weight does not broadcast"),
    sdk::refused(name, "f32[2,3], f32[2,3], none, f32[2]", TENON_E_SHAPE,
                 "pos_weight does not broadcast"),
    sdk::refused(name, "f32[2], f32[2] | reduction=\"median\"", TENON_E_ATTRIBUTE,
                 "reduction names no way"),
    sdk::refused(name, "f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "Products and a difference, each rounded, and sums in one order or another.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {5, 4e-06}, .f64 = {5, 1e-14}});

}  // namespace

TENON_UNIT(binary_cross_entropy_with_logits) = {
    .ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
