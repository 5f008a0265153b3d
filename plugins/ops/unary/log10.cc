// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/log10.cc: log10, the logarithm of base 10, element by element.
//
// y = ln(x) / ln(10);  dx = dy / (x * ln(10)).
// Source: Python array API standard, `log10`.
#include <numbers>

#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.log10";

constexpr std::string_view doc =
    R"(The logarithm of base 10: `y = ln(x) / ln(10)`. Of powers of 10 that the dtype holds exactly
it is exact. Of a zero it is -inf, of a negative number NaN.

Gradient: `dx = dy / (x * ln(10))`.

Source: Python array API standard, `log10`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; f32 and
f64 are within 1 ULP. f16 and bf16 are computed in f32 and rounded once. All of `tenon.ref` is
what the C library gives in f64.)";

// The number first, so that nothing overflows that the quotient does not.
void vjp(sdk::Vjp& v) {
  tenon_tensor* part = v.call("tenon.mul", {v.dy(), 1.0 / std::numbers::ln10});
  v.grad(0, v.call("tenon.div", {part, v.in(0)}));
}

constexpr tenon_op_desc ops[] = {
    unary::op(name, "log10(x: T[...]) -> T[...] where T: float promote", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kInput)};

constexpr auto samples = unary::float_samples(
    name, "f64[2,3](0.5,2)", "f64[5](1,1000)", "f64[2,1,3,2](0.5,2)", "f64[](0.5,2)",
    "f64[1,5,1](0.5,2)", "f32[8]{0.99999994,1.0000001,10.0,1000.0,1e30,3.0,0.01,1e-40}",
    "f64[6]{0.9999999999999999,1.0000000000000002,1e15,1e300,5e-324,0.7}");

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "The C library's log10 is within 2 ULP in f64, and a narrower float is rounded from that.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {2, 0}});

}  // namespace

TENON_UNIT(log10) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
