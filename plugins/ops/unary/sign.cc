// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/sign.cc: sign, the sign of a number, element by element.
//
// y = -1, 0 or 1.
// Source: Python array API standard, `sign`.
#include "elementwise.hpp"

namespace {

namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.sign";

constexpr std::string_view doc =
    R"(The sign: 1 where `x > 0`, -1 where `x < 0`, 0 where `x` is a zero of either sign. Of NaN it
is NaN.

Gradient: 0.

Source: Python array API standard, `sign`.

Canonical arithmetic: exact.)";

constexpr tenon_op_desc ops[] = {unary::op(name, "sign(x: T[...]) -> T[...] where T: number", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<unary::no_slope>(name, unary::kNothing)};

constexpr auto samples =
    unary::joined(unary::number_samples(name, "f64[2,3](-2,2)", "f64[2,1,3,2](-3,3)",
                                        "f64[](0.5,2)", "f64[1,5,1](0.5,2)"),
                  unary::refused_bool(name));

}  // namespace

TENON_UNIT(sign) = {.ops = ops, .vjps = vjps, .samples = samples};
