// SPDX-License-Identifier: Apache-2.0
// plugins/ops/softmax/softmax_cross_entropy_grad.cc: softmax_cross_entropy_grad, its backward rule.
//
// y[n,c] = dy/R (exp(log_probs[n,c]) - [c == target[n]]) in counted rows, else 0;
// ddy = sum(g y) at dy = 1,  dlog_probs = g dy/R exp(log_probs) in counted rows.
// Source: PyTorch's `cross_entropy`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.softmax_cross_entropy_grad";

constexpr std::string_view doc =
    R"(The gradient of `tenon.softmax_cross_entropy` for its logits: `y[n,c] = dy/R *
(exp(log_probs[n,c]) - [c == target[n]])` in the `R` rows whose target is not
`ignore_index`, 0 in the others.

Gradient: with `g` that of `y`: `ddy = sum(g * y(dy = 1))`; `dlog_probs = g * dy/R *
exp(log_probs)` in counted rows; `target` has none.

Source: PyTorch, `cross_entropy`.

Canonical arithmetic: `dy / R` first, then `exp` as in `tenon.exp`, a subtraction and a
product, in f32 (f64 for f64), rounded to T at the end.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::need_rank(args, 0, "dy", 0, "[]");
  rules::need_rank(args, 1, "log_probs", 2, "[N,C]");
  rules::need_rank(args, 2, "target", 1, "[N]");
  sdk::set_shape(out[0], args.shape(1));
}

// g dy/R exp(log_probs) in counted rows, 0 in the others.
tenon_tensor* log_probs_grad(sdk::Vjp& v, sdk::Value target) {
  const tenon_meta meta = v.in_meta(1);
  rules::Dims rows;
  rows.push(meta.shape[0]);
  rows.push(1);
  tenon_tensor* ignored = v.call("tenon.eq", {target, v.attr(0)});
  tenon_tensor* as_i64 = v.call("tenon.cast", {ignored}, {sdk::Value::dtype(TENON_DTYPE_I64)});
  tenon_tensor* counted = v.call("tenon.sub", {meta.shape[0], v.call("tenon.sum", {as_i64})});
  // Where no row counts the quotient is not used, but its own gradient must be finite.
  counted = v.call("tenon.maximum", {counted, 1});
  counted = v.call("tenon.cast", {counted}, {sdk::Value::dtype(meta.dtype)});
  tenon_tensor* scale = v.call("tenon.div", {v.in(0), counted});
  tenon_tensor* slope = v.call("tenon.mul", {v.call("tenon.exp", {v.in(1)}), scale});
  tenon_tensor* all_rows = v.call("tenon.mul", {v.dy(), slope});
  return v.call("tenon.where", {rules::reshape(v, ignored, rows), 0, all_rows});
}

void vjp(sdk::Vjp& v) {
  const sdk::Value target = v.in(2);
  if (v.wants(0)) {
    tenon_tensor* unit = v.call(name, {1.0, v.in(1), target}, {v.attr(0)});
    v.grad(0, v.call("tenon.sum", {v.call("tenon.mul", {v.dy(), unit})}));
  }
  if (v.wants(1)) v.grad(1, log_probs_grad(v, target));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "softmax_cross_entropy_grad(dy: T[], log_probs: T[N,C], target: i64[N], *, "
                       "ignore_index: int=-100) -> T[N,C] where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(1) | sdk::bit(2)}),
    sdk::need({.inputs = sdk::bit(0) | sdk::bit(1) | sdk::bit(2), .input_metas = sdk::bit(1)}),
    {},
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name,
                                             .needs = needs,
                                             .vjp = sdk::vjp_fn<vjp>,
                                             .n_attrs = 1,
                                             .non_differentiable = sdk::bit(2)})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[], f64[4,3](-3,-0.1), i64[4]{0,2,1,1}"),
    sdk::sample(name, "f64[](0.5,2), f64[4,3](-3,-0.1), i64[4]{0,-100,2,-100}"),
    sdk::sample(name, "f64[], f64[3,2](-3,-0.1), i64[3]{5,0,1} | ignore_index=5"),
    sdk::sample(name, "f64[], f64[1,1](-1,-0.1), i64[1]{0}"),
    sdk::sample(name, "f64[], f64[2,3](-3,-0.1), i64[2]{-100,-100}"),
    sdk::sample(name, "1.0, f64[2,3](-3,-0.1), i64[2]{2,0}"),
    sdk::sample(name, "f64[], f64[0,3], i64[0]"),
    sdk::sample(name, "f64[], f64[7,9](-4,-0.1), i64[7]{8,0,4,4,2,7,1}"),
    sdk::sample(name, "bf16[], bf16[2,3](-3,-0.1), i64[2]{1,2}"),
    sdk::sample(name, "f32[], f32[1,3]{-inf,-1000.0,0.0}, i64[1]{2}"),
    sdk::sample(name, "f32[]{nan}, f32[1,2](-1,-0.1), i64[1]{1}"),
    sdk::sample(name, "f32[]{inf}, f32[1,2]{-0.5,-1.0}, i64[1]{1}"),
    sdk::sample(name, "f32[]{3.4028235e38}, f32[1,2]{-1e-45,-3.4028235e38}, i64[1]{1}"),
    sdk::sample(name, "f64[]{1.7976931348623157e308}, f64[1,2]{-5e-324,-1.0}, i64[1]{1}"),
    sdk::sample(name, "f16[]{65504.0}, f16[1,2]{-6e-8,-65504.0}, i64[1]{1}"),
    sdk::sample(name, "bf16[]{3.39e38}, bf16[1,2]{-9.2e-41,-2.0}, i64[1]{1}"),
    sdk::refused(name, "f32[], f32[2,3], i64[3]", TENON_E_SHAPE, "target"),
    sdk::refused(name, "f32[2], f32[2,3], i64[2]", TENON_E_SHAPE, "dy"),
    sdk::refused(name, "f32[], f32[6], i64[6]", TENON_E_SHAPE, "log_probs"),
    sdk::refused(name, "f64[], f32[2,3], i64[2]", TENON_E_DTYPE, "log_probs"),
    sdk::refused(name, "f32[], f32[2,3], i32[2]", TENON_E_DTYPE, "target"),
    sdk::refused(name, "f32[], f32[2,3], i64[2]{0,3}", TENON_E_DATA, "target"),
    sdk::refused(name, "f32[], f32[2,3], i64[2]{0,0} | ignore_index=0.5", TENON_E_ATTRIBUTE,
                 "ignore_index"),
    sdk::refused(name, "f32[], f32[2,3]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "A quotient, the C library's exp, a difference and a product, each rounded.",
    {.f16 = {1, 2e-06}, .bf16 = {1, 2e-06}, .f32 = {2, 2e-06}, .f64 = {4, 4e-15}});

}  // namespace

TENON_UNIT(softmax_cross_entropy_grad) = {
    .ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
