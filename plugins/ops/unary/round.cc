// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/round.cc: round, the nearest integer, element by element.
//
// y = round(x), halves to even.
// Source: Python array API standard, `round`.
#include "elementwise.hpp"

namespace {

namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.round";

constexpr std::string_view doc =
    R"(The whole number nearest to `x`; of two as near the even one. Integers stay what they are,
and so do infinities, NaN and zeros of either sign.

Gradient: 0.

Source: Python array API standard, `round`.

Canonical arithmetic: exact. A result of 0 has the sign of `x`.)";

constexpr tenon_op_desc ops[] = {
    unary::op(name, "round(x: T[...]) -> T[...] where T: number", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<unary::no_slope>(name, unary::kNothing)};

constexpr auto samples = unary::rounding_samples(name);

}  // namespace

TENON_UNIT(round) = {.ops = ops, .vjps = vjps, .samples = samples};
