// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/triu.cc: triu, the upper triangle of matrices.
//
// y[m,n] = x[m,n] where n >= m + diagonal, else 0;  dx = triu(dy). Source: array-api `triu`.
#include "linalg/triangle.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.triu";

constexpr std::string_view doc =
    R"(The upper triangle of the matrices that the last two dimensions hold: `y[m,n]` is `x[m,n]`
where `n >= m + diagonal`, and 0 elsewhere. `diagonal` -1 keeps one diagonal below the main one, 1
leaves the main one out.

Gradient: `dx = triu(dy)`.

Source: Python array API standard, `triu`, whose `k` is `diagonal` here, as in PyTorch.

Canonical arithmetic: none; bits are moved, the rest is +0.)";

void vjp(sdk::Vjp& v) { v.grad(0, v.call(name, {v.dy()}, {v.attr(0)})); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "triu(x: T[...], *, diagonal: int=0) -> T[...] where T: any",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .infer = sdk::infer_fn<rules::infer_triangle>})};

constexpr tenon_vjp_need needs[1] = {};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr auto samples = rules::triangle_samples(name);

}  // namespace

TENON_UNIT(triu) = {.ops = ops, .vjps = vjps, .samples = samples};
