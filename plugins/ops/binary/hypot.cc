// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/hypot.cc: hypot, the length of a vector of two, element by element.
//
// y = sqrt(a^2 + b^2);  da = dy a / y;  db = dy b / y.
// Source: Python array API standard, `hypot`; C, `hypot`; gradient as in PyTorch
// `tools/autograd/derivatives.yaml`.
#include "ends.hpp"
#include "rules.hpp"

namespace {

namespace ends = tenon::ends;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.hypot";

constexpr std::string_view doc =
    R"(The length of a vector of two: `y = sqrt(a^2 + b^2)`. The squares neither overflow nor
vanish. The operands are broadcast together. With an infinite operand it is inf, also beside a NaN.

Gradient: `da = dy * (a / y)` and `db = dy * (b / y)`; NaN where both operands are 0.

Source: Python array API standard, `hypot`; C, `hypot`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; f32 and
f64 are within 1 ULP. f16 and bf16 are computed in f32 and rounded once. All of `tenon.ref` is what
the C library gives in f64, within 1 ULP.)";

void vjp(sdk::Vjp& v) {
  for (uint32_t i = 0; i < 2; ++i) {
    if (!v.wants(i)) continue;
    v.grad(i, v.call("tenon.mul", {v.dy(), v.call("tenon.div", {v.in(i), v.out()})}));
  }
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "hypot(a: T[...], b: T[...]) -> T[...] where T: float promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(0), .outputs = sdk::bit(0)}),
    sdk::need({.inputs = sdk::bit(1), .outputs = sdk::bit(0)}),
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3](-2,2), f64[2,3](0.5,2)"),
    sdk::sample(name, "f64[2,3](0.5,2), f64[3](-2,2)"),
    sdk::sample(name, "f64[4,1](-2,-0.5), f64[1,5](-2,2)"),
    sdk::sample(name, "f64[2,1,3,2](0.5,2), f64[4,1,2](-2,2)"),
    sdk::sample(name, "f64[2,3](-2,2), f64[](1,2)"),
    sdk::sample(name, "f64[1](0.5,2), f64[1,1]"),
    sdk::sample(name, "f64[3](0.5,2), 2.5"),
    sdk::sample(name, "-1, f64[3](-2,2)"),
    sdk::sample(name, "f64[0,3], f64[3]"),
    sdk::sample(name, "f32[3], f16[3](0.5,2)"),
    sdk::sample(name, "i32[3](1,5), f32[3](1,2)"),
    sdk::sample(name, "i32[3](1,5), 2"),
    sdk::sample(name, ends::kF32Pairs),
    sdk::sample(name, ends::kF64Pairs),
    sdk::sample(name, ends::kF16Pairs),
    sdk::sample(name, ends::kBf16Pairs),
    sdk::sample(name, ends::kSpecialPairs),
    sdk::sample(name,
                "f32[8]{0.0,-0.0,0.0,-3.0,inf,-inf,nan,nan}, f32[8]{0.0,-0.0,-5.0,-0.0,nan,nan,"
                "-inf,1.0}"),
    // Whole lengths, squares that overflow or vanish, and lengths that do.
    sdk::sample(name,
                "f64[8]{3.0,5.0,3e200,3e-200,1e308,1.5e308,5e-324,2e-308}, "
                "f64[8]{4.0,-12.0,4e200,-4e-200,1e308,1.5e308,-5e-324,1e-308}"),
    sdk::sample(name,
                "f32[6]{3e20,3e-30,3e38,1e-45,1.0,1.0}, f32[6]{4e20,4e-30,3e38,1e-45,1e-4,3e-4}"),
    sdk::refused(name, "f32[2], f32[3]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2,3], f32[2]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "A root of a sum of squares, each of them rounded; the C library's is within 1 ULP.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {1, 0}});

}  // namespace

TENON_UNIT(hypot) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
