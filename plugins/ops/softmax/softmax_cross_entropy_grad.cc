// SPDX-License-Identifier: Apache-2.0
// plugins/ops/softmax/softmax_cross_entropy_grad.cc: softmax_cross_entropy_grad, its backward rule.
//
// y[n,c] = dy/R (p[n,c] - [c == target[n]]) in counted rows, else 0, where
// p[n,c] = exp(logits[n,c] - top[n]) top_prob[n];
// with g the gradient of y, and a[n,c] = g[n,c] dy/R exp(logits[n,c] - top[n]) in counted rows:
// ddy = sum(g y) at dy = 1,  dlogits = a top_prob,  dtop = -sum_c a top_prob,  dtop_prob = sum_c a.
// Source: PyTorch's `cross_entropy`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.softmax_cross_entropy_grad";

constexpr std::string_view doc =
    R"(The gradient of `tenon.softmax_cross_entropy` for its logits, from its aux outputs `top`
and `top_prob`: `y[n,c] = dy/R * (p[n,c] - [c == target[n]])` in the `R` rows whose target is
not `ignore_index`, 0 in the others, with the probabilities `p[n,c] = exp(logits[n,c] -
top[n]) * top_prob[n]`.

Gradient: with `g` that of `y`, and `a = g * dy/R * exp(logits - top)` in counted rows, 0 in
the others: `ddy = sum(g * y(dy = 1))`; `dlogits = a * top_prob`; `dtop = -sum(a * top_prob)`
and `dtop_prob = sum(a)` over the classes; `target` has none.

Source: PyTorch, `cross_entropy`.

Canonical arithmetic: `dy / R` first; then `exp(logits - top) * (dy/R * top_prob)`, with `exp`
as in `tenon.exp`; at the target `(exp(logits - top) * top_prob - 1) * dy/R`. In f32 (f64 for
f64), each operation rounded, and rounded to T at the end.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::need_rank(args, 0, "dy", 0, "[]");
  rules::need_rank(args, 1, "logits", 2, "[N,C]");
  rules::need_rank(args, 2, "top", 1, "[N]");
  rules::need_rank(args, 3, "top_prob", 1, "[N]");
  rules::need_rank(args, 4, "target", 1, "[N]");
  sdk::set_shape(out[0], args.shape(1));
}

rules::Dims rows_of(sdk::Vjp& v) { return rules::Dims(rules::shape_of(v.in_meta(1)).first(1)); }

tenon_tensor* column(sdk::Vjp& v, sdk::Value x) {
  rules::Dims shape = rows_of(v);
  shape.push(1);
  return rules::reshape(v, x, shape);
}

// The sums over the classes.
tenon_tensor* row_sums(sdk::Vjp& v, tenon_tensor* x) {
  return rules::reshape(v, rules::sum_over(v, x, 1), rows_of(v));
}

// g dy/R exp(logits - top) in counted rows, 0 in the others.
tenon_tensor* slope_of_powers(sdk::Vjp& v) {
  const sdk::Value target = v.in(4);
  const tenon_meta meta = v.in_meta(1);
  tenon_tensor* ignored = v.call("tenon.eq", {target, v.attr(0)});
  tenon_tensor* as_i64 = v.call("tenon.cast", {ignored}, {sdk::Value::dtype(TENON_DTYPE_I64)});
  tenon_tensor* counted = v.call("tenon.sub", {meta.shape[0], v.call("tenon.sum", {as_i64})});
  // If no row counts the quotient is not used, but its own gradient must be finite.
  counted = v.call("tenon.maximum", {counted, 1});
  counted = v.call("tenon.cast", {counted}, {sdk::Value::dtype(meta.dtype)});
  tenon_tensor* scale = v.call("tenon.div", {v.in(0), counted});
  tenon_tensor* powers = v.call("tenon.exp", {v.call("tenon.sub", {v.in(1), column(v, v.in(2))})});
  tenon_tensor* all_rows = v.call("tenon.mul", {v.dy(), v.call("tenon.mul", {powers, scale})});
  return v.call("tenon.where", {column(v, ignored), 0, all_rows});
}

void vjp(sdk::Vjp& v) {
  if (v.wants(0)) {
    tenon_tensor* unit = v.call(name, {1.0, v.in(1), v.in(2), v.in(3), v.in(4)}, {v.attr(0)});
    v.grad(0, v.call("tenon.sum", {v.call("tenon.mul", {v.dy(), unit})}));
  }
  if (!v.wants(1) && !v.wants(2) && !v.wants(3)) return;
  tenon_tensor* slope = slope_of_powers(v);
  if (v.wants(3)) v.grad(3, row_sums(v, slope));
  if (!v.wants(1) && !v.wants(2)) return;
  tenon_tensor* dlogits = v.call("tenon.mul", {slope, column(v, v.in(3))});
  if (v.wants(1)) v.grad(1, dlogits);
  if (v.wants(2)) v.grad(2, v.call("tenon.neg", {row_sums(v, dlogits)}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "softmax_cross_entropy_grad(dy: T[], logits: T[N,C], top: T[N], top_prob: "
                       "T[N], target: i64[N], *, ignore_index: int=-100) -> T[N,C] where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr uint64_t all = sdk::bit(0) | sdk::bit(1) | sdk::bit(2) | sdk::bit(3) | sdk::bit(4);
constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = all & ~sdk::bit(0)}),
    sdk::need({.inputs = all, .input_metas = sdk::bit(1)}),
    sdk::need({.inputs = all, .input_metas = sdk::bit(1)}),
    sdk::need({.inputs = all & ~sdk::bit(3), .input_metas = sdk::bit(1)}),
    {},
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name,
                                             .needs = needs,
                                             .vjp = sdk::vjp_fn<vjp>,
                                             .n_attrs = 1,
                                             .non_differentiable = sdk::bit(4)})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[], f64[4,3], f64[4](1,1.5), f64[4](0.4,0.9), i64[4]{0,2,1,1}"),
    sdk::sample(name,
                "f64[](0.5,2), f64[4,3], f64[4](1,1.5), f64[4](0.4,0.9), i64[4]{0,-100,2,-100}"),
    sdk::sample(name,
                "f64[], f64[3,2], f64[3](1,1.5), f64[3](0.5,0.9), i64[3]{5,0,1} | ignore_index=5"),
    sdk::sample(name, "f64[], f64[1,1], f64[1](1,1.5), f64[1](0.8,1), i64[1]{0}"),
    sdk::sample(name, "f64[], f64[2,3], f64[2](1,1.5), f64[2](0.4,0.9), i64[2]{-100,-100}"),
    sdk::sample(name, "1.0, f64[2,3], f64[2](1,1.5), f64[2](0.4,0.9), i64[2]{2,0}"),
    sdk::sample(name, "f64[], f64[0,3], f64[0], f64[0], i64[0]"),
    sdk::sample(name,
                "f64[], f64[7,9](-4,0), f64[7](0,0.5), f64[7](0.2,0.4), i64[7]{8,0,4,4,2,7,1}"),
    sdk::sample(name, "f32[], f32[3,17](-30,30), f32[3](29,30), f32[3](0.2,0.4), i64[3]{16,15,0}"),
    sdk::sample(name, "bf16[], bf16[2,3], bf16[2](1,1.5), bf16[2](0.4,0.9), i64[2]{1,2}"),
    sdk::sample(name, "f32[], f32[1,3]{-inf,-1000.0,0.0}, f32[1]{0.0}, f32[1]{1.0}, i64[1]{2}"),
    sdk::sample(
        name,
        "f32[], f32[2,2]{nan,0.0,1.0,0.0}, f32[2]{nan,1.0}, f32[2]{nan,0.73105858}, i64[2]{0,1}"),
    sdk::sample(name, "f32[]{nan}, f32[1,2], f32[1](1,1.5), f32[1](0.5,0.9), i64[1]{1}"),
    sdk::sample(name, "f32[]{inf}, f32[1,2]{0.5,0.0}, f32[1]{0.5}, f32[1]{0.62245933}, i64[1]{1}"),
    sdk::sample(name,
                "f32[]{3.4028235e38}, f32[1,2]{-1e-45,-3.4028235e38}, f32[1]{-1e-45}, f32[1]{1.0}, "
                "i64[1]{1}"),
    sdk::sample(name,
                "f64[]{1.7976931348623157e308}, f64[1,2]{-5e-324,-1.0}, f64[1]{0.0}, "
                "f64[1]{0.7310585786300049}, i64[1]{1}"),
    sdk::sample(name,
                "f16[]{65504.0}, f16[1,2]{-6e-8,-65504.0}, f16[1]{-6e-8}, f16[1]{1.0}, i64[1]{1}"),
    sdk::sample(
        name,
        "bf16[]{3.39e38}, bf16[1,2]{-9.2e-41,-2.0}, bf16[1]{-9.2e-41}, bf16[1]{0.88}, i64[1]{1}"),
    sdk::refused(name, "f32[], f32[2,3], f32[2], f32[2], i64[3]", TENON_E_SHAPE, "target"),
    sdk::refused(name, "f32[2], f32[2,3], f32[2], f32[2], i64[2]", TENON_E_SHAPE, "dy"),
    sdk::refused(name, "f32[], f32[6], f32[6], f32[6], i64[6]", TENON_E_SHAPE, "logits"),
    sdk::refused(name, "f32[], f32[2,3], f32[3], f32[2], i64[2]", TENON_E_SHAPE, "top"),
    sdk::refused(name, "f32[], f32[2,3], f32[2], f32[3], i64[2]", TENON_E_SHAPE, "top_prob"),
    sdk::refused(name, "f64[], f32[2,3], f32[2], f32[2], i64[2]", TENON_E_DTYPE, "logits"),
    sdk::refused(name, "f32[], f32[2,3], f32[2], f32[2], i32[2]", TENON_E_DTYPE, "target"),
    sdk::refused(name, "f32[], f32[2,3], f32[2], f32[2], i64[2]{0,3}", TENON_E_DATA, "target"),
    sdk::refused(name, "f32[], f32[2,3], f32[2], f32[2], i64[2]{0,0} | ignore_index=0.5",
                 TENON_E_ATTRIBUTE, "ignore_index"),
    sdk::refused(name, "f32[], f32[2,3], i64[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "Products and a difference, each rounded, and the C library's exp.",
    {.f16 = {1, 2e-06}, .bf16 = {1, 2e-06}, .f32 = {2, 2e-06}, .f64 = {4, 4e-15}});

}  // namespace

TENON_UNIT(softmax_cross_entropy_grad) = {
    .ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
