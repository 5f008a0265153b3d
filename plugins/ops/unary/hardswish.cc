// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/hardswish.cc: hardswish, silu of straight lines, element by element.
//
// y = x min(max(x + 3, 0), 6) / 6;  dx = dy (x / 3 + 1 / 2) from -3 to 3, 0 or dy beyond.
// Source: A. Howard and others, "Searching for MobileNetV3", 2019; PyTorch's `hardswish`.
#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.hardswish";

constexpr std::string_view doc =
    R"(`y = x * min(max(x + 3, 0), 6) / 6`: 0 up to -3, `x` from 3 on. Where `x` is negative the 0
is -0, of -inf too.

Gradient: `dx = dy * (x / 3 + 1 / 2)` from -3 to 3, 0 below and `dy` above.

Source: A. Howard and others, "Searching for MobileNetV3", 2019; PyTorch, `hardswish`.

Canonical arithmetic: the steps of `tenon.cpu`, a sum, a product and a quotient in f64; f32 is
rounded once from it, f64 is within 2 ULP. f16 and bf16 are computed in f32 and rounded once.)";

void vjp(sdk::Vjp& v) {
  const sdk::Value x = v.in(0);
  tenon_tensor* slope = v.call("tenon.add", {v.call("tenon.mul", {x, 1.0 / 3}), 0.5});
  tenon_tensor* inner = v.call("tenon.mul", {v.dy(), slope});
  tenon_tensor* below = v.call("tenon.where", {v.call("tenon.lt", {x, -3}), 0, inner});
  v.grad(0, v.call("tenon.where", {v.call("tenon.lt", {3, x}), v.dy(), below}));
}

constexpr tenon_op_desc ops[] = {
    unary::op(name, "hardswish(x: T[...]) -> T[...] where T: float promote", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kInput)};

constexpr auto samples = unary::float_samples(
    name, "f64[2,3](-2,2)", "f64[7](-6,6)", "f64[2,1,3,2](-2,2)", "f64[](0.5,2)",
    "f64[1,5,1](-2,2)", "f32[8]{-3.0,3.0,-2.9999998,2.9999998,-3.0000002,3.0000002,1e20,-1e20}",
    "f64[4]{-2.9999999999999996,2.9999999999999996,-1e-300,1e300}",
    "f16[4]{-2.998,2.998,-1.5,0.001}");

constexpr auto tolerances =
    sdk::float_tolerances(name, "A sum, a product and a quotient, each rounded.",
                          {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {2, 0}});

}  // namespace

TENON_UNIT(hardswish) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
