// SPDX-License-Identifier: Apache-2.0
// plugins/ops/copy/copy.cc: copy, the same elements in storage of their own.
//
// y = x;  dx = dy. Source: array-api `asarray(copy=True)`.
#include "ends.hpp"
#include "rules.hpp"

namespace {

namespace ends = tenon::ends;
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
    sdk::sample(name, "f64[2,1,3,2]"),
    sdk::sample(name, "f64[]"),
    sdk::sample(name, "f64[2,0,3]"),
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
    sdk::sample(name, "bool[7]"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(copy) = {.ops = ops, .vjps = vjps, .samples = samples};
