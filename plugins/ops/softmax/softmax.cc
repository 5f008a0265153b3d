// SPDX-License-Identifier: Apache-2.0
// plugins/ops/softmax/softmax.cc: softmax, exponentials that sum to 1 along an axis.
//
// y = exp(x - m) / sum exp(x - m), m = max x;  dx = y (dy - sum(dy y)).
// Source: J. Bridle, 1990; m keeps exp from overflowing.
#include "softmax/along_axis.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.softmax";

constexpr std::string_view doc =
    R"(Exponentials scaled to sum to 1 along `axis`: `y = exp(x - m) / sum(exp(x - m))`, with `m`
the largest element, so that nothing overflows.

Gradient: `dx = y * (dy - sum(dy * y))`, the sum along `axis`.

Source: J. Bridle, "Probabilistic Interpretation of Feedforward Classification Network
Outputs", 1990.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: the difference, `exp`
as in `tenon.exp`, the sum in the order of `tenon.sum`, 1 divided by it, and the products with
that; rounded to T at the end.)";

void compose(sdk::Compose& c) {
  tenon_tensor* powers = c.call("tenon.exp", {rules::shifted(c)});
  tenon_tensor* total = rules::sum_over(c, powers, c.attrs.integer(0));
  tenon_tensor* top_prob = c.call("tenon.div", {1.0, total});
  rules::set_rounded(c, c.call("tenon.mul", {powers, top_prob}));
}

void vjp(sdk::Vjp& v) {
  tenon_tensor* weighted = v.call("tenon.mul", {v.dy(), v.out()});
  tenon_tensor* total = rules::sum_over(v, weighted, v.attr(0).as.i64);
  tenon_tensor* centred = v.call("tenon.sub", {v.dy(), total});
  v.grad(0, v.call("tenon.mul", {centred, v.out()}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "softmax(x: T[...], *, axis: int=-1) -> T[...] where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<rules::infer_along_axis>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.outputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr auto samples = rules::softmax_samples(name);

constexpr auto tolerances = rules::softmax_tolerances(name);

}  // namespace

TENON_UNIT(softmax) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
