// SPDX-License-Identifier: Apache-2.0
// plugins/ops/copy/copy.cc: copy, the same elements in storage of their own.
//
// y = x;  dx = dy. Source: array-api `asarray(copy=True)`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.copy";

constexpr std::string_view doc = R"(The same elements in new storage: `y = x`.

The result is row-major whatever the strides of `x`. Any layout is accepted on both sides, so the
runtime uses this op (role COPY) for staging and for moving tensors.

Gradient: `dx = dy`.

Source: Python array API standard, `asarray(copy=True)`.

Canonical arithmetic: none; bits are copied, NaN payloads included.)";

void vjp(sdk::Vjp& v) { v.grad(0, v.dy()); }

constexpr tenon_op_desc ops[] = {sdk::op({.name = name,
                                          .schema = "copy(x: T[...]) -> T[...]",
                                          .doc = doc,
                                          .shape = TENON_SHAPE_SAME_AS_0,
                                          .flags = TENON_OP_ELEMENTWISE | TENON_OP_LINEAR,
                                          .role = TENON_ROLE_COPY})};

constexpr tenon_vjp_need needs[1] = {};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3]"),
    sdk::sample(name, "f32[4,1,5](-100,100)"),
    sdk::sample(name, "f32[6]{0.0,-0.0,inf,-inf,nan,1e-40}"),
    sdk::sample(name, "i64[3]{-9223372036854775808,0,9223372036854775807}"),
    sdk::sample(name, "bool[7]"),
    sdk::sample(name, "bf16[]"),
    sdk::sample(name, "f64[2,0,3]"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(copy) = {.ops = ops, .vjps = vjps, .samples = samples};
