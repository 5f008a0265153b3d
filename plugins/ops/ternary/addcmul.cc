// SPDX-License-Identifier: Apache-2.0
// plugins/ops/ternary/addcmul.cc: addcmul, adds a scaled product, element by element.
//
// y = x + value * a * b;  dx = dy, da = dy value b, db = dy value a.
// Source: PyTorch's `addcmul`.
#include "ternary/add_scaled.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.addcmul";

constexpr std::string_view doc =
    R"(Adds a scaled product: `y = x + value * a * b`. The operands are broadcast together.

In place it is the step of a running mean of squares: `addcmul(v, g, g, value=1 - beta)`.

Gradient: `dx = dy`, `da = dy * value * b`, `db = dy * value * a`.

Source: PyTorch, `addcmul`; gradient as in `tools/autograd/derivatives.yaml`.

Canonical arithmetic: `x + ((value * a) * b)`, three IEEE 754 operations in C, each rounded to
nearest even and none fused; C is f32 for f16, bf16 and f32, f64 for f64. `value` is rounded to C
first. f16 and bf16 are rounded once more, at the end.)";

void compose(sdk::Compose& c) {
  rules::AddScaled(c, "tenon.mul", [](double a, double b) { return a * b; }).compose();
}

void vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, v.dy());
  if (!v.wants(1) && !v.wants(2)) return;
  tenon_tensor* scaled = v.call("tenon.mul", {v.dy(), v.attr(0)});
  if (v.wants(1)) v.grad(1, v.call("tenon.mul", {scaled, v.in(2)}));
  if (v.wants(2)) v.grad(2, v.call("tenon.mul", {scaled, v.in(1)}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "addcmul(x: T[...], a: T[...], b: T[...], *, value: float=1.0) -> T[...] "
                       "where T: float promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {
    {},
    sdk::need({.inputs = sdk::bit(2)}),
    sdk::need({.inputs = sdk::bit(1)}),
};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], f64[2,3], f64[2,3]"),
    sdk::sample(name, "f64[2,3], f64[3], f64[2,1] | value=0.5"),
    sdk::sample(name, "f64[2,1,2,3], f64[2,2,1], f64[3] | value=-2.0"),
    sdk::sample(name, "f64[], f64[2], f64[2] | value=0.001"),
    sdk::sample(name, "f64[3], 2.5, f64[3]"),
    sdk::sample(name, "1, f64[2,2], f64[2,2]"),
    sdk::sample(name, "f32[4], f32[4], 1.0 | value=0.1"),
    sdk::sample(name, "f32[3], f16[3], f64[3]"),
    sdk::sample(name, "i32[3], f32[3], f32[3]"),
    sdk::sample(name, "f64[0,3], f64[3], f64[1,3]"),
    sdk::sample(name, "f32[5], f32[5], f32[5] | value=0.0"),
    sdk::sample(name,
                "f32[4]{1.0,1.0,3.4028235e38,1e-45}, "
                "f32[4]{1.1754944e-38,1e-45,3.4028235e38,1.1754944e-38}, f32[4]{1.0,0.5,1.0,1e-7}"),
    sdk::sample(
        name,
        "f16[3]{65504.0,6.1035e-5,5.96e-8}, f16[3]{16.0,6.1035e-5,5.96e-8}, f16[3]{2.0,0.5,1.0}"),
    sdk::sample(
        name,
        "bf16[2]{3.3895314e38,1.1754944e-38}, bf16[2]{3.3895314e38,9.2e-41}, bf16[2]{-1.0,1.0}"),
    sdk::sample(name,
                "f64[3]{1.7976931348623157e308,2.2250738585072014e-308,5e-324}, "
                "f64[3]{1.0,5e-324,5e-324}, f64[3]{1.0,1.0,-2.0} | value=2.0"),
    sdk::sample(
        name,
        "f32[5]{nan,0.0,inf,inf,-0.0}, f32[5]{1.0,nan,1.0,-inf,0.0}, f32[5]{1.0,1.0,1.0,1.0,-1.0}"),
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

TENON_UNIT(addcmul) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
