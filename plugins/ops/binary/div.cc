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
    sdk::sample(name, "f64[4,1], f64[1,5](-2,-0.5)"),
    sdk::sample(name, "f64[2,3], f64[](1,2)"),
    sdk::sample(name, "f64[3], 2.5"),
    sdk::sample(name, "1, f64[2,2](0.5,2)"),
    sdk::sample(name, "f32[4]{1.0,-1.0,0.0,nan}, f32[4]{0.0,0.0,0.0,1.0}"),
    sdk::sample(name, "i32[4]{7,-7,1,0}, i32[4]{2,2,3,5}"),
    sdk::sample(name, "f64[0,3], f64[3](1,2)"),
    sdk::refused(name, "f32[2], f32[3]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2,3], f32[2]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(div) = {.ops = ops, .vjps = vjps, .samples = samples};
