// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/min.cc: min, the smallest element over some or all axes.
//
// y = min over axes of x;  dx = dy / (number of ties) where x = y, else 0.
// Source: array-api `min`; gradient as PyTorch's `amin`.
#include "reduce/extreme.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.min";

constexpr std::string_view doc =
    R"(The smallest element over `axes` (none: all of them; an empty list: no axis, so that the
values stay). `keepdims` leaves each reduced dimension as 1. A reduction over nothing is
refused.

Gradient: `dy` is shared equally among the elements equal to the minimum; the others get 0.

Source: Python array API standard, `min`; gradient as in PyTorch's `amin`.

Canonical arithmetic: exact. NaN where any of the elements is NaN (the gradient is NaN
there, too); of equal elements, zeros of either sign included, the first.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::infer_extreme(args, out, "minimum");
}

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "min(x: T[...], *, axes: int[]?, keepdims: bool=false) -> T[...] where T: any",
     .doc = doc,
     .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_desc vjps[] = {rules::extreme_vjp(name)};

constexpr auto samples = rules::extreme_samples(name, "f32[3]{inf,inf,inf}", "no minimum");

}  // namespace

TENON_UNIT(min) = {.ops = ops, .vjps = vjps, .samples = samples};
