// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/log1p.cc: log1p, log(1 + x), element by element.
//
// y = log1p(x);  dx = dy / (1 + x).
// Source: Python array API standard, `log1p`.
#include "ends.hpp"
#include "rules.hpp"

namespace {

namespace ends = tenon::ends;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.log1p";

constexpr std::string_view doc =
    R"(The natural logarithm of `1 + x`, exact where `x` is small: `y = log(1 + x)`. Of -1 it is
-inf, below NaN.

Gradient: `dx = dy / (1 + x)`.

Source: Python array API standard, `log1p`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; within
1 ULP in f32 and f64. f16 and bf16 are computed in f32 and rounded once. `tenon.ref` rounds what
the C library gives in f64.)";

void vjp(sdk::Vjp& v) {
  v.grad(0, v.call("tenon.div", {v.dy(), v.call("tenon.add", {v.in(0), 1.0})}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "log1p(x: T[...]) -> T[...] where T: float promote",
             .doc = doc,
             .shape = TENON_SHAPE_SAME_AS_0,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3](-0.5,2)"),
    sdk::sample(name, "f64[5](-0.9,20)"),
    sdk::sample(name, "f64[2,1,3,2](0.5,2)"),
    sdk::sample(name, "f64[](0.5,2)"),
    sdk::sample(name, "f64[0,3]"),
    sdk::sample(name, "f64[1,5,1](0.5,2)"),
    sdk::sample(name, "i32[3](0,9)"),
    sdk::sample(name, ends::kF32),
    sdk::sample(name, ends::kF64),
    sdk::sample(name, ends::kF16),
    sdk::sample(name, ends::kBf16),
    sdk::sample(name, ends::kSpecial),
    sdk::sample(name, "f32[8]{-1.0,-1.5,-0.99999994,-0.29,0.41,1e-8,-1e-20,16777216.0}"),
    sdk::sample(name, "f64[4]{-0.9999999999999999,1e-300,1e300,-1.0000000000000002}"),
    sdk::sample(name, "f16[4]{-0.9995,0.001,-0.5,2048.0}"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances =
    sdk::float_tolerances(name,
                          "The C library's log1p is within 1 ULP in f64; in a narrower float a "
                          "vector kernel gets the same.",
                          {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {1, 0}});

}  // namespace

TENON_UNIT(log1p) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
