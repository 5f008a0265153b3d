// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/ceil.cc: ceil, the next integer above, element by element.
//
// y = ceil(x).
// Source: Python array API standard, `ceil`.
#include "elementwise.hpp"

namespace {

namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.ceil";

constexpr std::string_view doc =
    R"(The least whole number that is not below `x`. Integers stay what they are, and so do
infinities, NaN and zeros of either sign.

Gradient: 0.

Source: Python array API standard, `ceil`.

Canonical arithmetic: exact. A result of 0 has the sign of `x`.)";

constexpr tenon_op_desc ops[] = {unary::op(name, "ceil(x: T[...]) -> T[...] where T: number", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<unary::no_slope>(name, unary::kNothing)};

constexpr auto samples = unary::rounding_samples(name);

}  // namespace

TENON_UNIT(ceil) = {.ops = ops, .vjps = vjps, .samples = samples};
