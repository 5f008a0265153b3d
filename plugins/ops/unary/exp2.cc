// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/exp2.cc: exp2, the power of 2, element by element.
//
// y = 2^x;  dx = dy * y * ln(2).
// Source: Python array API standard, `exp2`.
#include <numbers>

#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.exp2";

constexpr std::string_view doc =
    R"(The power of 2: `y = 2^x`. Of whole numbers it is exact.

Gradient: `dx = dy * y * ln(2)`.

Source: Python array API standard, `exp2`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; f32 and
f64 are within 1 ULP. f16 and bf16 are computed in f32 and rounded once. All of `tenon.ref` is
what the C library gives in f64.)";

void vjp(sdk::Vjp& v) {
  tenon_tensor* slope = v.call("tenon.mul", {v.out(), std::numbers::ln2});
  v.grad(0, v.call("tenon.mul", {v.dy(), slope}));
}

constexpr tenon_op_desc ops[] = {
    unary::op(name, "exp2(x: T[...]) -> T[...] where T: float promote", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kOutput)};

constexpr auto samples = unary::float_samples(
    name, "f64[2,3](-2,2)", "f64[5](-20,5)", "f64[2,1,3,2](-2,2)", "f64[](-2,2)",
    "f64[1,5,1](-2,2)", "f32[8]{127.5,128.0,-126.0,-149.0,-149.5,-150.0,1e-8,5.0}",
    "f64[6]{1023.5,1024.0,-1074.0,-1074.9,-1075.0,-1022.5}", "f16[4]{15.5,16.0,-24.0,-25.0}");

constexpr auto tolerances = sdk::float_tolerances(
    name, "The C library's exp2 is within 1 ULP in f64, and a narrower float is rounded from that.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {1, 0}});

}  // namespace

TENON_UNIT(exp2) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
