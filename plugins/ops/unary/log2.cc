// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/log2.cc: log2, the logarithm of base 2, element by element.
//
// y = ln(x) / ln(2);  dx = dy / (x * ln(2)).
// Source: Python array API standard, `log2`.
#include <numbers>

#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.log2";

constexpr std::string_view doc =
    R"(The logarithm of base 2: `y = ln(x) / ln(2)`. Of powers of 2 it is exact. Of a zero it is
-inf, of a negative number NaN.

Gradient: `dx = dy / (x * ln(2))`.

Source: Python array API standard, `log2`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; f32 and
f64 are within 1 ULP. f16 and bf16 are computed in f32 and rounded once. All of `tenon.ref` is
what the C library gives in f64.)";

// The number first, so that nothing overflows that the quotient does not.
void vjp(sdk::Vjp& v) {
  tenon_tensor* part = v.call("tenon.mul", {v.dy(), 1.0 / std::numbers::ln2});
  v.grad(0, v.call("tenon.div", {part, v.in(0)}));
}

constexpr tenon_op_desc ops[] = {
    unary::op(name, "log2(x: T[...]) -> T[...] where T: float promote", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kInput)};

constexpr auto samples = unary::float_samples(
    name, "f64[2,3](0.5,2)", "f64[5](1,1000)", "f64[2,1,3,2](0.5,2)", "f64[](0.5,2)",
    "f64[1,5,1](0.5,2)", "f32[8]{0.99999994,1.0000001,2.0,8.0,1e30,3.0,0.125,1e-40}",
    "f64[6]{0.9999999999999999,1.0000000000000002,1024.0,1e300,5e-324,0.7}");

constexpr auto tolerances = sdk::float_tolerances(
    name, "The C library's log2 is within 1 ULP in f64, and a narrower float is rounded from that.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {1, 0}});

}  // namespace

TENON_UNIT(log2) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
