// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/expm1.cc: expm1, exp(x) - 1, element by element.
//
// y = expm1(x);  dx = dy * (y + 1).
// Source: Python array API standard, `expm1`.
#include "ends.hpp"
#include "rules.hpp"

namespace {

namespace ends = tenon::ends;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.expm1";

constexpr std::string_view doc =
    R"(The exponential less 1, exact where `x` is small: `y = exp(x) - 1`.

Gradient: `dx = dy * (y + 1)`.

Source: Python array API standard, `expm1`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; within
1 ULP in f32 and f64. f16 and bf16 are computed in f32 and rounded once. `tenon.ref` rounds what
the C library gives in f64.)";

void vjp(sdk::Vjp& v) {
  v.grad(0, v.call("tenon.mul", {v.dy(), v.call("tenon.add", {v.out(), 1.0})}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "expm1(x: T[...]) -> T[...] where T: float promote",
             .doc = doc,
             .shape = TENON_SHAPE_SAME_AS_0,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_need needs[] = {sdk::need({.outputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3](-2,2)"),
    sdk::sample(name, "f64[5](-20,5)"),
    sdk::sample(name, "f64[2,1,3,2](0.5,2)"),
    sdk::sample(name, "f64[](0.5,2)"),
    sdk::sample(name, "f64[0,3]"),
    sdk::sample(name, "f64[1,5,1](0.5,2)"),
    sdk::sample(name, "i32[3]"),
    sdk::sample(name, ends::kF32),
    sdk::sample(name, ends::kF64),
    sdk::sample(name, ends::kF16),
    sdk::sample(name, ends::kBf16),
    sdk::sample(name, ends::kSpecial),
    sdk::sample(name, "f32[8]{88.7,88.8,-17.0,-104.0,1e-8,-1e-20,0.35,-0.29}"),
    sdk::sample(name, "f64[4]{709.7,709.8,-37.0,1e-300}"),
    sdk::sample(name, "f16[4]{11.0,11.1,-8.0,0.001}"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances =
    sdk::float_tolerances(name,
                          "The C library's expm1 is within 1 ULP in f64; in a narrower float a "
                          "vector kernel gets the same.",
                          {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {1, 0}});

}  // namespace

TENON_UNIT(expm1) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
