// SPDX-License-Identifier: Apache-2.0
// plugins/ops/ternary/fma.cc: fma, a product and a sum rounded once.
//
// y = a b + c;  da = dy b, db = dy a, dc = dy.
// Source: IEEE 754-2019, `fusedMultiplyAdd`; C, `fma`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.fma";

constexpr std::string_view doc =
    R"(A product and a sum, rounded once: `y = a * b + c`. The operands are broadcast together.

Gradient: `da = dy * b`, `db = dy * a`, `dc = dy`.

Source: IEEE 754-2019, `fusedMultiplyAdd`; C, `fma`.

Canonical arithmetic: the exact value rounded once, to nearest even, in every dtype.)";

void vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, v.call("tenon.mul", {v.dy(), v.in(1)}));
  if (v.wants(1)) v.grad(1, v.call("tenon.mul", {v.dy(), v.in(0)}));
  if (v.wants(2)) v.grad(2, v.dy());
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "fma(a: T[...], b: T[...], c: T[...]) -> T[...] where T: float promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(1)}),
    sdk::need({.inputs = sdk::bit(0)}),
    {},
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], f64[2,3], f64[2,3]"),
    sdk::sample(name, "f64[2,3], f64[3], f64[2,1]"),
    sdk::sample(name, "f64[2,1,2,3], f64[2,2,1], f64[3]"),
    sdk::sample(name, "f64[], f64[2], f64[2]"),
    sdk::sample(name, "f64[3], 2.5, f64[3]"),
    sdk::sample(name, "f64[3], f64[3], 0"),
    sdk::sample(name, "1, f64[2,2], f64[2,2]"),
    sdk::sample(name, "f32[67], f32[67], f32[67]"),
    sdk::sample(name, "f32[3], f16[3], f64[3]"),
    sdk::sample(name, "i32[3], f32[3], f32[3]"),
    sdk::sample(name, "f64[0,3], f64[3], f64[1,3]"),
    // Products that cancel except for what they would lose by rounding.
    sdk::sample(name,
                "f32[3]{1.0000001,0.1,3.0}, f32[3]{1.0000001,10.0,0.33333334}, "
                "f32[3]{-1.0000002,-1.0,-1.0}"),
    sdk::sample(name,
                "f64[3]{1.0000000000000002,0.1,3.0}, "
                "f64[3]{1.0000000000000002,10.0,0.3333333333333333}, "
                "f64[3]{-1.0000000000000004,-1.0,-1.0}"),
    // Sums that a rounding in between would make a tie, or keep one.
    sdk::sample(name,
                "bf16[6]{257.0,257.0,1.0,1.0,-1.0,1e-30}, "
                "bf16[6]{1.0,0.00390625,0.00390625,0.00390625,0.00390625,1e-30}, "
                "bf16[6]{1.0,1.0,1.0,1.008,-1.0,1.0}"),
    sdk::sample(name,
                "bf16[4]{3.0,-3.0,1.5,1.5}, bf16[4]{171.0,171.0,2.2e-38,1.8e38}, "
                "bf16[4]{1e-30,-1e-30,9.2e-41,-3e38}"),
    sdk::sample(name,
                "f16[6]{2049.0,3.0,65504.0,6e-8,-6e-8,1.001}, "
                "f16[6]{1.0,683.0,1.0,0.5,0.5,1.001}, f16[6]{6e-8,6e-8,16.0,6e-8,6e-8,-1.002}"),
    sdk::sample(name,
                "f32[5]{3.4028235e38,3.4028235e38,1e-45,1.1754944e-38,1e-30}, "
                "f32[5]{2.0,1.0,0.5,0.5,1e-30}, "
                "f32[5]{-3.4028235e38,1e31,1e-45,-1e-45,1e-45}"),
    sdk::sample(name,
                "f64[4]{1.7976931348623157e308,5e-324,2.2250738585072014e-308,1e-200}, "
                "f64[4]{2.0,0.5,0.5,1e-200}, "
                "f64[4]{-1.7976931348623157e308,5e-324,-5e-324,5e-324}"),
    sdk::sample(name,
                "f32[8]{nan,1.0,1.0,inf,inf,0.0,-0.0,inf}, "
                "f32[8]{1.0,nan,1.0,0.0,1.0,1.0,1.0,1.0}, "
                "f32[8]{1.0,1.0,nan,1.0,-inf,-0.0,-0.0,1.0}"),
    sdk::refused(name, "f32[2], f32[3], f32[3]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2,3], f32[2], f32[]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2], f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(fma) = {.ops = ops, .vjps = vjps, .samples = samples};
