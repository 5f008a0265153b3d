// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/std.cc: std, the standard deviation over some or all axes.
//
// y = sqrt(sum (x - m)^2 / (n - correction)), m = mean x;
// dx = dy (x - m) / (y (n - correction)), 0 where y = 0. Source: array-api `std`.
#include "reduce/variance.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.std";

constexpr std::string_view doc =
    R"(The standard deviation over `axes`: the square root of `tenon.var`, whose attributes it has.

Gradient: `dx = dy * (x - m) / (y * (n - correction))`, computed in f64; where the deviation `y` is
0 the slope is taken as 0.

Source: Python array API standard, `std`; gradient as in PyTorch
`tools/autograd/FunctionsManual.cpp`, `std_backward`.

Canonical arithmetic: as of `tenon.var`, with the square root taken in f64 before the one rounding
to T.)";

void compose(sdk::Compose& c) {
  const tenon_dtype dtype = c.meta(c.in(0).tensor()).dtype;
  tenon_tensor* root = c.call("tenon.sqrt", {rules::composed_variance(c)});
  c.set(0, rules::rounded_to(c, root, dtype));
}

void vjp(sdk::Vjp& v) {
  const sdk::Value apart = rules::apart_from_mean(v);
  const double scale = rules::variance_scale(v);
  // The deviation again, since y is rounded, and may have left the range.
  const sdk::Value squares = v.call("tenon.mul", {apart, apart});
  const sdk::Value variance =
      v.call("tenon.mul", {v.call("tenon.sum", {squares}, {v.attr(0), true}), scale});
  const sdk::Value zero = v.call("tenon.eq", {variance, 0});
  const sdk::Value deviation = v.call("tenon.sqrt", {v.call("tenon.where", {zero, 1, variance})});
  const sdk::Value dy = rules::as_f64(v, rules::beside_x(v, v.dy()));
  const sdk::Value slope = v.call("tenon.div", {v.call("tenon.mul", {dy, scale}), deviation});
  rules::set_grad(v, v.call("tenon.mul", {apart, v.call("tenon.where", {zero, 0, slope})}));
}

void compose_first(sdk::Compose& c) { rules::compose_first(c, name); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "std(x: T[...], *, axes: int[]?, keepdims: bool=false, "
                       "correction: float=1.0) -> T[...] where T: float",
             .doc = rules::first_doc,
             .shape = TENON_SHAPE_REDUCE,
             .compose = sdk::compose_fn<compose_first>}),
    sdk::op({.name = name,
             .schema = "std(x: T[...], *, axes: int[]?, keepdims: bool=false, "
                       "correction: float=0.0) -> T[...] where T: float",
             .doc = doc,
             .shape = TENON_SHAPE_REDUCE,
             .revision = rules::kVarianceRevision,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(0), .input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name,
                                             .needs = needs,
                                             .vjp = sdk::vjp_fn<vjp>,
                                             .n_attrs = rules::kVarAttributes,
                                             .revision = rules::kVarianceRevision})};

constexpr auto samples = rules::variance_samples(name, "bf16[3]{1e18,9.2e-41,1.0}");

constexpr auto tolerances = rules::variance_tolerances(name);

}  // namespace

TENON_UNIT(std) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
