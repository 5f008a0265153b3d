// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/div.cc: div, the quotient, element by element.
//
// y = a / b;  da = dy / b, db = -dy * (y / b).
// Source: Python array API standard, `divide`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.div";

constexpr std::string_view doc = R"(The quotient: `y = a / b`. The operands are broadcast together.

The result is a float: integer operands become f32. Division by zero gives an infinity or
NaN.

Gradient: `da = dy / b`, `db = -dy * (y / b)`.

Source: Python array API standard, `divide`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: one IEEE 754 operation in T, rounded to nearest even; f16 and bf16
are computed in f32 and rounded once. No reciprocal stands in for the division.)";

void vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, v.call(name, {v.dy(), v.in(1)}));
  if (v.wants(1)) {
    tenon_tensor* slope = v.call(name, {v.out(), v.in(1)});
    v.grad(1, v.call("tenon.neg", {v.call("tenon.mul", {v.dy(), slope})}));
  }
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "div(a: T[...], b: T[...]) -> T[...] where T: float promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(1)}),
    sdk::need({.inputs = sdk::bit(1), .outputs = sdk::bit(0)}),
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], f64[2,3](0.5,2)"),
    sdk::sample(name, "f64[2,3], f64[3](0.5,2)"),
    sdk::sample(name, "f64[4,1], f64[1,5](0.5,2)"),
    sdk::sample(name, "f64[2,1,3,2], f64[4,1,2](0.5,2)"),
    sdk::sample(name, "f64[2,3], f64[](0.5,2)"),
    sdk::sample(name, "f64[1], f64[1,1](0.5,2)"),
    sdk::sample(name, "f64[3], 2.5"),
    sdk::sample(name, "1, f64[2,2](0.5,2)"),
    sdk::sample(name, "f64[0,3], f64[3](1,2)"),
    sdk::sample(name, "f32[3], f16[3](0.5,2)"),
    sdk::sample(name, "i32[4]{7,-7,1,0}, i32[4]{2,2,3,5}"),
    sdk::sample(name,
                "f32[6]{3.4028235e38,-3.4028235e38,1.1754944e-38,1e-45,3.4028235e38,1e-45}, "
                "f32[6]{0.5,3.4028235e38,-2.0,2.0,1e-45,3.0}"),
    sdk::sample(name,
                "f64[5]{1.7976931348623157e308,2.2250738585072014e-308,5e-324,1.0,1.0}, "
                "f64[5]{0.5,-4.0,2.0,3.0,5e-324}"),
    sdk::sample(name, "f16[5]{65504.0,-65504.0,6.1035e-5,6e-8,1.0}, f16[5]{0.5,3.0,-3.0,2.0,3.0}"),
    sdk::sample(name, "bf16[5]{3.39e38,1.1755e-38,9.2e-41,1.0,1.0}, bf16[5]{0.5,-3.0,2.0,3.0,7.0}"),
    sdk::sample(
        name,
        "f32[8]{1.0,-1.0,0.0,nan,inf,1.0,-0.0,inf}, f32[8]{0.0,0.0,0.0,1.0,inf,inf,2.0,-0.0}"),
    sdk::refused(name, "f32[2], f32[3]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2,3], f32[2]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(div) = {.ops = ops, .vjps = vjps, .samples = samples};
