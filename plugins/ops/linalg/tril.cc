// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/tril.cc: tril, the lower triangle of matrices.
//
// y[m,n] = x[m,n] where n <= m + diagonal, else 0;  dx = tril(dy). Source: array-api `tril`.
#include "linalg/triangle.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.tril";

constexpr std::string_view doc =
    R"(The lower triangle of the matrices that the last two dimensions hold: `y[m,n]` is `x[m,n]`
where `n <= m + diagonal`, and 0 elsewhere. `diagonal` 1 keeps one diagonal above the main one, -1
leaves the main one out.

Gradient: `dx = tril(dy)`.

Source: Python array API standard, `tril`, whose `k` is `diagonal` here, as in PyTorch.

Canonical arithmetic: none; bits are moved, the rest is +0.)";

void vjp(sdk::Vjp& v) { v.grad(0, v.call(name, {v.dy()}, {v.attr(0)})); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "tril(x: T[...], *, diagonal: int=0) -> T[...] where T: any",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .infer = sdk::infer_fn<rules::infer_triangle>})};

constexpr tenon_vjp_need needs[1] = {};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3,3]"),
    sdk::sample(name, "f64[2,5] | diagonal=1"),
    sdk::sample(name, "f64[5,2] | diagonal=-2"),
    sdk::sample(name, "f64[2,1,3,4]"),
    sdk::sample(name, "f64[3,3] | diagonal=3"),
    sdk::sample(name, "f64[3,3] | diagonal=-3"),
    sdk::sample(name, "f64[3,3] | diagonal=9223372036854775807"),
    sdk::sample(name, "f64[3,3] | diagonal=-9223372036854775808"),
    sdk::sample(name, "f64[1,1]"),
    sdk::sample(name, "f64[0,3]"),
    sdk::sample(name, "f64[2,3,0] | diagonal=1"),
    sdk::sample(name, "f32[2,3]{0.0,nan,inf,-0.0,-inf,1e-45}"),
    sdk::sample(name, "f64[2,3]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0}"),
    sdk::sample(name, "f16[2,3]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0}"),
    sdk::sample(name, "bf16[2,3]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0}"),
    sdk::sample(name, "i64[2,3]{-9223372036854775808,-1,0,1,2,9223372036854775807}"),
    sdk::sample(name, "u8[3,2] | diagonal=-1"),
    sdk::sample(name, "bool[3,2]"),
    sdk::refused(name, "f32[3]", TENON_E_SHAPE, "2 dimensions or more"),
    sdk::refused(name, "f32[]", TENON_E_SHAPE, "2 dimensions or more"),
    sdk::refused(name, "f32[3,3] | diagonal=1.0", TENON_E_ATTRIBUTE, "diagonal"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(tril) = {.ops = ops, .vjps = vjps, .samples = samples};
