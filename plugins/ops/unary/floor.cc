// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/floor.cc: floor, the next integer below, element by element.
//
// y = floor(x).
// Source: Python array API standard, `floor`.
#include "elementwise.hpp"

namespace {

namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.floor";

constexpr std::string_view doc =
    R"(The largest whole number that is not above `x`. Integers stay what they are, and so do
infinities, NaN and zeros of either sign.

Gradient: 0.

Source: Python array API standard, `floor`.

Canonical arithmetic: exact. A result of 0 has the sign of `x`.)";

constexpr tenon_op_desc ops[] = {
    unary::op(name, "floor(x: T[...]) -> T[...] where T: number", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<unary::no_slope>(name, unary::kNothing)};

constexpr auto samples = unary::rounding_samples(name);

}  // namespace

TENON_UNIT(floor) = {.ops = ops, .vjps = vjps, .samples = samples};
