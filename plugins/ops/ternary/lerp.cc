// SPDX-License-Identifier: Apache-2.0
// plugins/ops/ternary/lerp.cc: lerp, a point on the way from one value to another.
//
// y = x + w (end - x), or end - (end - x) (1 - w) from |w| = 1/2 on.
// dx = dy (1 - w), dend = dy w, dw = dy (end - x).
// Source: PyTorch's `lerp`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.lerp";

constexpr std::string_view doc =
    R"(The way from `x` to `end`, of which `weight` says how far: `y = x + weight * (end - x)`. The
operands are broadcast together. A weight of 0 gives `x` and one of 1 gives `end`, where `end - x`
is finite; others are allowed.

Gradient: `dx = dy * (1 - weight)`, `dend = dy * weight`, `dweight = dy * (end - x)`.

Source: PyTorch, `lerp`; gradient as in `tools/autograd/derivatives.yaml`.

Canonical arithmetic: `x + weight * (end - x)` where `|weight| < 1/2`, else `end - (end - x) *
(1 - weight)`; IEEE 754 operations in C, each rounded to nearest even and none fused. C is f32 for
f16, bf16 and f32, f64 for f64. f16 and bf16 are rounded once more, at the end.)";

// Two numbers stay a number: as operands of an op they would be an f32.
sdk::Value difference(sdk::Vjp& v, sdk::Value a, sdk::Value b) {
  if (a.is_tensor() || b.is_tensor()) return v.call("tenon.sub", {a, b});
  return sdk::Attrs::number(a) - sdk::Attrs::number(b);
}

void vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, v.call("tenon.mul", {v.dy(), difference(v, 1, v.in(2))}));
  if (v.wants(1)) v.grad(1, v.call("tenon.mul", {v.dy(), v.in(2)}));
  if (v.wants(2)) v.grad(2, v.call("tenon.mul", {v.dy(), difference(v, v.in(1), v.in(0))}));
}

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "lerp(x: T[...], end: T[...], weight: T[...]) -> T[...] where T: float promote",
     .doc = doc,
     .shape = TENON_SHAPE_BROADCAST,
     .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(2)}),
    sdk::need({.inputs = sdk::bit(2)}),
    sdk::need({.inputs = sdk::bit(0) | sdk::bit(1)}),
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], f64[2,3], f64[2,3](0,0.45)"),
    sdk::sample(name, "f64[2,3], f64[2,3], f64[2,3](0.55,1.5)"),
    sdk::sample(name, "f64[2,3], f64[3], f64[2,1](-2,-0.6)"),
    sdk::sample(name, "f64[2,1,2,3], f64[2,2,1], f64[3](0.1,0.4)"),
    sdk::sample(name, "f64[], f64[2], f64[2](0.1,0.4)"),
    sdk::sample(name, "f64[3], f64[3], 0.25"),
    sdk::sample(name, "f64[3], f64[1,3], 1"),
    sdk::sample(name, "f64[3], 2.5, 0.75"),
    sdk::sample(name, "1, f64[2,2], 0.125"),
    sdk::sample(name, "1, 3.0, f64[2,2](0.1,0.4)"),
    sdk::sample(name, "f32[67], f32[67], f32[67](-2,2)"),
    sdk::sample(name, "f32[3], f16[3], f64[3](0,0.4)"),
    sdk::sample(name, "i32[3], f32[3], f32[3]"),
    sdk::sample(name, "f64[0,3], f64[3], f64[1,3]"),
    sdk::sample(name,
                "f32[6]{1.0,3.0,0.1,-7.0,0.3,1e30}, f32[6]{2.0,0.1,0.7,7.0,-0.3,1.0}, "
                "f32[6]{0.0,1.0,0.5,-0.5,0.49999997,1.0}"),
    sdk::sample(name,
                "f32[5]{3.4028235e38,3.4028235e38,1.1754944e-38,1e-45,-1e-45}, "
                "f32[5]{-3.4028235e38,3.4e38,1e-45,1.1754944e-38,1e-45}, "
                "f32[5]{0.5,0.5,0.5,0.3,0.7}"),
    sdk::sample(name,
                "f16[4]{65504.0,65504.0,6e-8,1.0}, f16[4]{-65504.0,60000.0,6.1035e-5,1.001}, "
                "f16[4]{0.5,0.1,0.7,0.5}"),
    sdk::sample(name,
                "bf16[3]{3.39e38,9.2e-41,1.0}, bf16[3]{3e38,1.1755e-38,1.008}, "
                "bf16[3]{0.25,0.5,0.5}"),
    sdk::sample(name,
                "f64[3]{1.7976931348623157e308,5e-324,2.2250738585072014e-308}, "
                "f64[3]{-1e308,2.2250738585072014e-308,5e-324}, f64[3]{0.25,0.5,0.75}"),
    sdk::sample(name,
                "f32[7]{nan,1.0,1.0,inf,1.0,inf,-0.0}, f32[7]{1.0,nan,1.0,1.0,inf,inf,0.0}, "
                "f32[7]{0.5,0.5,nan,0.25,0.25,0.5,inf}"),
    sdk::refused(name, "f32[2], f32[3], f32[3]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2,3], f32[2], f32[]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2], f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(lerp) = {.ops = ops, .vjps = vjps, .samples = samples};
