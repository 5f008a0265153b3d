// SPDX-License-Identifier: Apache-2.0
// plugins/ops/ternary/addcdiv.cc: addcdiv, adds a scaled quotient, element by element.
//
// y = x + value * a / b;  dx = dy, da = dy value / b, db = -da (a / b).
// Source: PyTorch's `addcdiv`.
#include "ternary/add_scaled.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.addcdiv";

constexpr std::string_view doc =
    R"(Adds a scaled quotient: `y = x + value * a / b`. The operands are broadcast together.
Division by zero gives an infinity or NaN.

In place it is the step of Adam: `addcdiv(p, m, sqrt(v) + eps, value=-lr)`.

Gradient: `dx = dy`, `da = dy * value / b`, `db = -da * (a / b)`.

Source: PyTorch, `addcdiv`; gradient as in `tools/autograd/derivatives.yaml`.

Canonical arithmetic: `x + ((value * a) / b)`, three IEEE 754 operations in C, each rounded to
nearest even and none fused; C is f32 for f16, bf16 and f32, f64 for f64. `value` is rounded to C
first. f16 and bf16 are rounded once more, at the end. No reciprocal stands in for the division.)";

void compose(sdk::Compose& c) {
  const tenon_dtype dtype = rules::dtype_of_scaled(c, TENON_DTYPE_F32);
  rules::AddScaled(c, dtype, "tenon.div", [](double a, double b) { return a / b; }).compose();
}

void vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, v.dy());
  if (!v.wants(1) && !v.wants(2)) return;
  tenon_tensor* scaled = v.call("tenon.mul", {v.dy(), v.attr(0)});
  tenon_tensor* da = v.call("tenon.div", {scaled, v.in(2)});
  if (v.wants(1)) v.grad(1, da);
  if (!v.wants(2)) return;
  tenon_tensor* quotient = v.call("tenon.div", {v.in(1), v.in(2)});
  v.grad(2, v.call("tenon.neg", {v.call("tenon.mul", {da, quotient})}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "addcdiv(x: T[...], a: T[...], b: T[...], *, value: float=1.0) -> T[...] "
                       "where T: float promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {
    {},
    sdk::need({.inputs = sdk::bit(2)}),
    sdk::need({.inputs = sdk::bit(1) | sdk::bit(2)}),
};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], f64[2,3], f64[2,3](0.5,2)"),
    sdk::sample(name, "f64[2,3], f64[3], f64[2,1](0.5,2) | value=0.5"),
    sdk::sample(name, "f64[2,1,2,3], f64[2,2,1], f64[3](-2,-0.5) | value=-2.0"),
    sdk::sample(name, "f64[], f64[2], f64[2](1,2) | value=0.001"),
    sdk::sample(name, "f64[3], 2.5, f64[3](0.5,2)"),
    sdk::sample(name, "1, f64[2,2], f64[2,2](0.5,2)"),
    sdk::sample(name, "f32[4], f32[4], 3.0 | value=0.1"),
    sdk::sample(name, "f32[3], f16[3], f64[3](0.5,2)"),
    sdk::sample(name, "i32[3], f32[3], f32[3](0.5,2)"),
    sdk::sample(name, "f64[0,3], f64[3], f64[1,3](1,2)"),
    sdk::sample(name, "f32[5], f32[5], f32[5](0.5,2) | value=0.0"),
    sdk::sample(name,
                "f32[4]{1.0,1.0,3.4028235e38,1e-45}, "
                "f32[4]{1.1754944e-38,1e-45,3.4028235e38,1.1754944e-38}, f32[4]{1.0,2.0,1.0,1e7}"),
    sdk::sample(
        name,
        "f16[3]{65504.0,6.1035e-5,5.96e-8}, f16[3]{32.0,6.1035e-5,5.96e-8}, f16[3]{1.0,2.0,1.0}"),
    sdk::sample(
        name,
        "bf16[2]{3.3895314e38,1.1754944e-38}, bf16[2]{3.3895314e38,9.2e-41}, bf16[2]{-1.0,1.0}"),
    sdk::sample(name,
                "f64[3]{1.7976931348623157e308,2.2250738585072014e-308,5e-324}, "
                "f64[3]{1.0,5e-324,5e-324}, f64[3]{1.0,1.0,-0.5} | value=2.0"),
    sdk::sample(name,
                "f32[6]{nan,0.0,inf,1.0,1.0,0.0}, f32[6]{1.0,nan,1.0,1.0,0.0,inf}, "
                "f32[6]{1.0,1.0,-0.0,0.0,0.0,inf}"),
    sdk::refused(name, "f32[2], f32[3], f32[3]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2,3], f32[2], f32[]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2], f32[2] | value=\"one\"", TENON_E_ATTRIBUTE, "value"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Three rounded operations, whose errors count against the largest result where x and the term "
    "cancel.",
    {.f16 = {1, 4e-07}, .bf16 = {1, 4e-07}, .f32 = {2, 4e-07}, .f64 = {2, 1e-15}});

}  // namespace

TENON_UNIT(addcdiv) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
