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

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3]"),
    sdk::sample(name, "f64[2,3,4] | axis=1"),
    sdk::sample(name, "f64[2,1,3,2] | axis=-2"),
    sdk::sample(name, "f64[5] | axis=0"),
    sdk::sample(name, "f32[3,67](-4,4) | axis=0"),
    sdk::sample(name, "f32[70,5](-4,4) | axis=0"),
    sdk::sample(name, "f64[2,3](-20,20)"),
    sdk::sample(name, "f64[4,1]"),
    sdk::sample(name, "f32[2,3](-1000,1000)"),
    sdk::sample(name, "f32[3]{0.0,-inf,1.0}"),
    sdk::sample(name, "f32[3]{nan,0.0,1.0}"),
    sdk::sample(name, "f32[2]{inf,1.0}"),
    sdk::sample(name, "f32[2]{-inf,-inf}"),
    sdk::sample(name, "f32[2,2]{3.4028235e38,-3.4028235e38,1e-45,1.1754944e-38}"),
    sdk::sample(
        name,
        "f64[2,2]{1.7976931348623157e308,-1.7976931348623157e308,5e-324,2.2250738585072014e-308}"),
    sdk::sample(name, "f16[2,2]{65504.0,-65504.0,6e-8,6.1035e-5}"),
    sdk::sample(name, "bf16[2,2]{3.39e38,-3.39e38,9.2e-41,1.0}"),
    sdk::sample(name, "f16[7]"),
    sdk::sample(name, "f64[0,3]"),
    sdk::sample(name, "f64[2,0]"),
    sdk::refused(name, "f32[2,3] | axis=2", TENON_E_ATTRIBUTE, "axis is out of range"),
    sdk::refused(name, "f32[2,3] | axis=1.0", TENON_E_ATTRIBUTE, "axis"),
    sdk::refused(name, "f32[]", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "i32[3]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "The sum of powers depends on its order, and exp and log are the C library's.",
    {.f16 = {1, 2e-06}, .bf16 = {1, 2e-06}, .f32 = {2, 2e-06}, .f64 = {4, 4e-15}});

}  // namespace

TENON_UNIT(softmax) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
