// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/tan.cc: tan, the tangent, element by element.
//
// y = tan(x);  dx = dy * (1 + y^2).
// Source: Python array API standard, `tan`.
#include "elementwise.hpp"

namespace {

namespace ends = tenon::ends;
namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.tan";

constexpr std::string_view doc =
    R"(The tangent of an angle in radians: `y = tan(x)`. Of an infinity it is NaN.

Gradient: `dx = dy * (1 + y^2)`.

Source: Python array API standard, `tan`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; f32 and
f64 are within 1 ULP. f16 and bf16 are computed in f32 and rounded once. All of `tenon.ref` is
what the C library gives in f64.)";

void vjp(sdk::Vjp& v) {
  tenon_tensor* square = v.call("tenon.mul", {v.out(), v.out()});
  v.grad(0, v.call("tenon.mul", {v.dy(), v.call("tenon.add", {square, 1.0})}));
}

constexpr tenon_op_desc ops[] = {
    unary::op(name, "tan(x: T[...]) -> T[...] where T: float promote", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kOutput)};

// Of huge angles differences see no slope. Where they agree on one by chance, as at 1e10, they stop
// the proof of the gradient: such angles are not here.
constexpr auto samples = unary::with_refused(
    name,
    std::array<std::string_view, 16>{
        "f64[2,3](-1.2,1.2)", "f64[5](-20,20)", "f64[2,1,3,2](0.5,1.2)", "f64[](0.5,1.2)",
        "f64[0,3]", "f64[1,5,1](0.5,1.2)", "i32[3]",
        "f32[4]{3.4028235e38,-3.4028235e38,1.0000001,0.99999994}",
        "f32[4]{1.1754944e-38,-1.1754944e-38,1e-45,-1e-45}", ends::kF64, ends::kF16,
        "bf16[3]{3.1e38,-3.3e38,1.008}", ends::kSpecial,
        "f32[8]{3.1415927,-3.1415927,1.5707964,11.0,102.94,16367173.0,3e10,-1e22}",
        "f64[8]{3.141592653589793,1.5707963267948966,11.0,1e5,1e16,-1e22,6.381956970095103e250,"
        "1e300}",
        "f16[4]{3.14,1.57,355.0,60000.0}"});

constexpr auto tolerances = sdk::float_tolerances(
    name, "The C library's tan is within 1 ULP in f64, and a narrower float is rounded from that.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {1, 0}});

}  // namespace

TENON_UNIT(tan) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
