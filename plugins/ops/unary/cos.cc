// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/cos.cc: cos, the cosine, element by element.
//
// y = cos(x);  dx = -dy * sin(x).
// Source: Python array API standard, `cos`.
#include "angles.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.cos";

constexpr std::string_view doc =
    R"(The cosine of an angle in radians: `y = cos(x)`. Of an infinity it is NaN.

Gradient: `dx = -dy * sin(x)`.

Source: Python array API standard, `cos`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; f32 and
f64 are within 2 ULP. f16 and bf16 are computed in f32 and rounded once. All of `tenon.ref` is what
the C library gives in f64, within 1 ULP. That holds for every finite `x`: huge angles are
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

constexpr auto samples = tenon::angles::samples(name);

constexpr auto tolerances =
    sdk::float_tolerances(name,
                          "The C library's cos is within 1 ULP in f64; a vector kernel that "
                          "reduces the argument is within 2.",
                          {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {2, 0}, .f64 = {2, 0}});

}  // namespace

TENON_UNIT(cos) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
