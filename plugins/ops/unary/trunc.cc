// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/trunc.cc: trunc, the integer part, element by element.
//
// y = trunc(x).
// Source: Python array API standard, `trunc`.
#include "elementwise.hpp"

namespace {

namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.trunc";

constexpr std::string_view doc =
    R"(The whole number next to `x` on the side of 0. Integers stay what they are, and so do
infinities, NaN and zeros of either sign.

Gradient: 0.

Source: Python array API standard, `trunc`.

Canonical arithmetic: exact. A result of 0 has the sign of `x`.)";

constexpr tenon_op_desc ops[] = {
    unary::op(name, "trunc(x: T[...]) -> T[...] where T: number", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<unary::no_slope>(name, unary::kNothing)};

constexpr auto samples = unary::rounding_samples(name);

}  // namespace

TENON_UNIT(trunc) = {.ops = ops, .vjps = vjps, .samples = samples};
