// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/mean.cc: mean, the arithmetic mean over some or all axes.
//
// y = sum over axes of x / n;  dx = dy / n, expanded to x's shape. Source: array-api `mean`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.mean";

constexpr std::string_view doc =
    R"(The arithmetic mean over `axes` (none: all of them; an empty list: no axis, so that the
values stay). `keepdims` leaves each reduced dimension as 1. The mean of nothing is NaN.

Gradient: `dx` is `dy / n`, expanded back over the reduced axes, with `n` the number of
elements that meet in one result.

Source: Python array API standard, `mean`.

Canonical arithmetic: the sum as in `tenon.sum`, divided by `n` before the one rounding to
T.)";

// sum / n. A sum of f16 may leave its range where the mean does not.
void compose(sdk::Compose& c) {
  const tenon_meta meta = c.meta(c.in(0).tensor());
  const auto count = static_cast<double>(rules::reduced_count(rules::shape_of(meta), c.attrs[0]));
  const sdk::Value x = rules::widened(c, c.in(0));
  tenon_tensor* sum = c.call("tenon.sum", {x}, {c.attrs[0], c.attrs[1]});
  c.set(0, rules::rounded_to(c, c.call("tenon.div", {sum, count}), meta.dtype));
}

void vjp(sdk::Vjp& v) {
  const rules::Dims shape(v.in_meta(0));
  const sdk::Value axes = v.attr(0);
  tenon_tensor* kept = rules::reshape(v, v.dy(), rules::kept_shape(shape.span(), axes));
  kept = rules::divide_by_count(v, kept, rules::reduced_count(shape.span(), axes));
  v.grad(0, rules::expand(v, kept, shape));
}

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "mean(x: T[...], *, axes: int[]?, keepdims: bool=false) -> T[...] where T: float",
     .doc = doc,
     .shape = TENON_SHAPE_REDUCE,
     .flags = TENON_OP_LINEAR,
     .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 2})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3]"),
    sdk::sample(name, "f64[2,3,4] | axes=[1]"),
    sdk::sample(name, "f64[2,3,4] | axes=[-1,0], keepdims=true"),
    sdk::sample(name, "f64[2,3,1,4] | axes=[1,3]"),
    sdk::sample(name, "f64[2,3] | axes=[]"),
    sdk::sample(name, "f64[] | axes=[]"),
    sdk::sample(name, "f64[]"),
    sdk::sample(name, "f32[300](0,1)"),
    sdk::sample(name, "f64[4,1] | axes=[1], keepdims=true"),
    sdk::sample(name, "f64[0]"),
    sdk::sample(name, "f64[2,0,3] | axes=[1]"),
    sdk::sample(name, "f64[2,0,3] | axes=[0]"),
    sdk::sample(name, "f16[3]{60000.0,60000.0,-30000.0}"),
    sdk::sample(name, "f32[3]{3.4028235e38,1e-45,1.1754944e-38}"),
    sdk::sample(name, "f32[2]{1e-45,3e-45}"),
    sdk::sample(name, "f64[2]{1.7976931348623157e308,5e-324}"),
    sdk::sample(name, "bf16[2]{3.39e38,9.2e-41}"),
    sdk::sample(name, "f32[3]{inf,-inf,1.0}"),
    sdk::sample(name, "f32[2,2]{nan,1.0,-inf,1.0} | axes=[1]"),
    sdk::refused(name, "f32[2,3] | axes=[2]", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2,3] | axes=[-3]", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2,3] | axes=[0,0]", TENON_E_ATTRIBUTE, "twice"),
    sdk::refused(name, "f32[2,3] | axes=1", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2,3] | keepdims=1", TENON_E_ATTRIBUTE, "keepdims"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "i32[3]", TENON_E_DTYPE, "i32"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "Additions in another order round differently, by as much as the largest partial sums.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {1, 4e-06}, .f64 = {1, 1e-14}});

}  // namespace

TENON_UNIT(mean) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
