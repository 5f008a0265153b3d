// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/var.cc: var, the variance over some or all axes.
//
// y = sum (x - m)^2 / (n - correction), m = mean x;  dx = dy * 2 (x - m) / (n - correction).
// Source: array-api `var`.
#include "reduce/variance.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.var";

constexpr std::string_view doc =
    R"(The variance over `axes` (none: all of them; an empty list: no axis): `y = sum((x - m)^2) /
(n - correction)`, with `m` the mean and `n` the number of the elements reduced into a result.
`correction` is 0, the default, for a population's variance and 1 for a sample's; in revision 1 of
the op the default was 1. `keepdims` leaves each reduced dimension as 1. NaN where `n - correction`
is not positive.

Gradient: `dx = dy * 2 * (x - m) / (n - correction)`, computed in f64.

Source: Python array API standard, `var`.

Canonical arithmetic: in f64, in two passes: `m = sum(x) / n`, then the sum of `(x - m) * (x - m)`,
divided by `n - correction` and rounded once to T. Both sums have the order of `tenon.prod`, with
lanes that start at 0.)";

void compose(sdk::Compose& c) {
  const tenon_dtype dtype = c.meta(c.in(0).tensor()).dtype;
  c.set(0, rules::rounded_to(c, rules::composed_variance(c), dtype));
}

void vjp(sdk::Vjp& v) {
  const sdk::Value dy = rules::as_f64(v, rules::beside_x(v, v.dy()));
  const sdk::Value slope = v.call("tenon.mul", {dy, 2.0 * rules::variance_scale(v)});
  rules::set_grad(v, v.call("tenon.mul", {rules::apart_from_mean(v), slope}));
}

void compose_first(sdk::Compose& c) { rules::compose_first(c, name); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "var(x: T[...], *, axes: int[]?, keepdims: bool=false, "
                       "correction: float=1.0) -> T[...] where T: float",
             .doc = rules::first_doc,
             .shape = TENON_SHAPE_REDUCE,
             .compose = sdk::compose_fn<compose_first>}),
    sdk::op({.name = name,
             .schema = "var(x: T[...], *, axes: int[]?, keepdims: bool=false, "
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

constexpr auto samples = rules::variance_samples(name, "bf16[3]{3.39e38,9.2e-41,1.0}");

constexpr auto tolerances = rules::variance_tolerances(name);

}  // namespace

TENON_UNIT(var) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
