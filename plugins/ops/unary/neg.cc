// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/neg.cc: neg, the negated value, element by element.
//
// y = -x;  dx = -dy.
// Source: array-api `neg`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.neg";

constexpr std::string_view doc = R"(The negated value: `y = -x`.

Gradient: `dx = -dy`.

Source: Python array API standard, `negative`.

Canonical arithmetic: the sign bit is flipped, of zeros and NaNs too; integers wrap modulo
2^bits, so the least negative one is its own negation.)";

void vjp(sdk::Vjp& v) { v.grad(0, v.call(name, {v.dy()})); }

constexpr tenon_op_desc ops[] = {sdk::op({.name = name,
                                          .schema = "neg(x: T[...]) -> T[...] where T: number",
                                          .doc = doc,
                                          .shape = TENON_SHAPE_SAME_AS_0,
                                          .flags = TENON_OP_ELEMENTWISE | TENON_OP_LINEAR})};

constexpr tenon_vjp_need needs[1] = {};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3](-2,2)"),
    sdk::sample(name, "f32[4,1,5](-100,100)"),
    sdk::sample(name, "f32[8]{0.0,-0.0,1.0,-1.0,inf,-inf,nan,1e-40}"),
    sdk::sample(name, "i32[4]{-2147483648,-1,0,2147483647}"),
    sdk::sample(name, "u8[3]{0,1,255}"),
    sdk::sample(name, "f16[]"),
    sdk::sample(name, "f64[0,3]"),
    sdk::refused(name, "bool[3]", TENON_E_DTYPE, "bool"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(neg) = {.ops = ops, .vjps = vjps, .samples = samples};
