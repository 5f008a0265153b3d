// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/relu.cc: relu, the positive part, element by element.
//
// y = max(x, 0);  dx = dy where y != 0, else 0.
// Source: V. Nair, G. Hinton, "Rectified Linear Units Improve Restricted Boltzmann Machines", 2010.
#include "ends.hpp"
#include "rules.hpp"

namespace {

namespace ends = tenon::ends;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.relu";

constexpr std::string_view doc = R"(The positive part: `y = max(x, 0)`.

The gradient at `x = 0` is taken as 0.

Gradient: `dx = dy where y != 0, else 0`.

Source: V. Nair, G. Hinton, "Rectified Linear Units Improve Restricted Boltzmann Machines",
2010.

Canonical arithmetic: exact: `x < 0 ? 0 : x`, so that -0 and NaN stay as they are.)";

void vjp(sdk::Vjp& v) {
  tenon_tensor* off = v.call("tenon.eq", {v.out(), 0});
  v.grad(0, v.call("tenon.where", {off, 0, v.dy()}));
}

constexpr tenon_op_desc ops[] = {sdk::op({.name = name,
                                          .schema = "relu(x: T[...]) -> T[...] where T: number",
                                          .doc = doc,
                                          .shape = TENON_SHAPE_SAME_AS_0,
                                          .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_need needs[] = {sdk::need({.outputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3](-2,2)"),
    sdk::sample(name, "f64[5](0.5,2)"),
    sdk::sample(name, "f64[4](-2,-0.5)"),
    sdk::sample(name, "f64[2,1,3,2](-2,2)"),
    sdk::sample(name, "f64[]"),
    sdk::sample(name, "f64[0,3]"),
    sdk::sample(name, "f64[1,5,1]"),
    sdk::sample(name, ends::kF32),
    sdk::sample(name, ends::kF64),
    sdk::sample(name, ends::kF16),
    sdk::sample(name, ends::kBf16),
    sdk::sample(name, ends::kSpecial),
    sdk::sample(name, ends::kI64),
    sdk::sample(name, ends::kI32),
    sdk::sample(name, ends::kI16),
    sdk::sample(name, ends::kI8),
    sdk::sample(name, ends::kU8),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "bool[3]", TENON_E_DTYPE, "bool"),
};

}  // namespace

TENON_UNIT(relu) = {.ops = ops, .vjps = vjps, .samples = samples};
