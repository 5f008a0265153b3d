// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/cos.cc: cos, the cosine, element by element.
//
// y = cos(x);  dx = -dy * sin(x).
// Source: Python array API standard, `cos`.
#include "ends.hpp"
#include "rules.hpp"

namespace {

namespace ends = tenon::ends;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.cos";

constexpr std::string_view doc =
    R"(The cosine of an angle in radians: `y = cos(x)`. Of an infinity it is NaN.

Gradient: `dx = -dy * sin(x)`.

Source: Python array API standard, `cos`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: in f32 the steps of `tenon.cpu`, which every instruction set rounds alike;
within 2 ULP. f16 and bf16 are computed in f32 and rounded once. f64, and all of `tenon.ref`, is
what the C library gives in f64, within 1 ULP. That holds for every finite `x`: huge angles are
reduced by as many digits of pi as they take.)";

void vjp(sdk::Vjp& v) {
  tenon_tensor* slope = v.call("tenon.neg", {v.call("tenon.sin", {v.in(0)})});
  v.grad(0, v.call("tenon.mul", {v.dy(), slope}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "cos(x: T[...]) -> T[...] where T: float promote",
             .doc = doc,
             .shape = TENON_SHAPE_SAME_AS_0,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3](-2,2)"),
    sdk::sample(name, "f64[5](-20,20)"),
    sdk::sample(name, "f64[2,1,3,2](0.5,2)"),
    sdk::sample(name, "f64[](0.5,2)"),
    sdk::sample(name, "f64[0,3]"),
    sdk::sample(name, "f64[1,5,1](0.5,2)"),
    sdk::sample(name, "i32[3]"),
    // The ends of f32 and bf16 apart: differences cannot judge the slope of both at once.
    sdk::sample(name, "f32[4]{3.4028235e38,-3.4028235e38,1.0000001,0.99999994}"),
    sdk::sample(name, "f32[4]{1.1754944e-38,-1.1754944e-38,1e-45,-1e-45}"),
    sdk::sample(name, ends::kF64),
    sdk::sample(name, ends::kF16),
    sdk::sample(name, "bf16[3]{3.39e38,-3.39e38,1.008}"),
    sdk::sample(name, "bf16[4]{1.1755e-38,-1.1755e-38,9.2e-41,-9.2e-41}"),
    sdk::sample(name, ends::kSpecial),
    sdk::sample(name, "f32[8]{3.1415927,-3.1415927,1.5707964,11.0,102.94,16367173.0,1e10,-1e22}"),
    sdk::sample(name,
                "f64[8]{3.141592653589793,1.5707963267948966,11.0,1e5,1e16,-1e22,6."
                "381956970095103e250,1e300}"),
    sdk::sample(name, "f16[4]{3.14,1.57,355.0,60000.0}"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances =
    sdk::float_tolerances(name,
                          "The C library's cos is within 1 ULP in f64; a vector kernel that "
                          "reduces the argument is within 2.",
                          {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {2, 0}, .f64 = {2, 0}});

}  // namespace

TENON_UNIT(cos) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
