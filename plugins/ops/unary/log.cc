// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/log.cc: log, the natural logarithm, element by element.
//
// y = ln(x);  dx = dy / x.
// Source: array-api `log`.
#include "ends.hpp"
#include "rules.hpp"

namespace {

namespace ends = tenon::ends;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.log";

constexpr std::string_view doc = R"(The natural logarithm: `y = ln(x)`.

`log(0)` is -inf and the logarithm of a negative number is NaN.

Gradient: `dx = dy / x`.

Source: Python array API standard, `log`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; within
1 ULP in f32 and f64. f16 and bf16 are computed in f32 and rounded once. `tenon.ref` rounds what
the C library gives in f64.)";

void vjp(sdk::Vjp& v) { v.grad(0, v.call("tenon.div", {v.dy(), v.in(0)})); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "log(x: T[...]) -> T[...] where T: float promote",
             .doc = doc,
             .shape = TENON_SHAPE_SAME_AS_0,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3](0.5,2)"),
    sdk::sample(name, "f64[5](1,1000)"),
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
    sdk::sample(name, "f32[5]{0.99999994,1.0000001,2.0,10.0,1e30}"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "The C library's log is within 1 ULP in f64, and a narrower float is rounded from that.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {1, 0}});

}  // namespace

TENON_UNIT(log) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
