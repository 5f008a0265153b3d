// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/neg.cc: neg, the negated value, element by element.
//
// y = -x;  dx = -dy.
// Source: array-api `neg`.
#include "ends.hpp"
#include "rules.hpp"

namespace {

namespace ends = tenon::ends;
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

TENON_UNIT(neg) = {.ops = ops, .vjps = vjps, .samples = samples};
