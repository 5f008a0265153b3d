// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/max.cc: max, the largest element over some or all axes.
//
// y = max over axes of x;  dx = dy / (number of ties) where x = y, else 0.
// Source: array-api `max`; gradient as PyTorch's `amax`.
#include "reduce/extreme.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.max";

constexpr std::string_view doc =
    R"(The largest element over `axes` (none: all of them; an empty list: no axis, so that the
values stay). `keepdims` leaves each reduced dimension as 1. A reduction over nothing is
refused.

Gradient: `dy` is shared equally among the elements equal to the maximum; the others get 0.

Source: Python array API standard, `max`; gradient as in PyTorch's `amax`.

Canonical arithmetic: exact. NaN where any of the elements is NaN (the gradient is NaN
there, too); of equal elements, zeros of either sign included, the first.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::infer_extreme(args, out, "maximum");
}

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "max(x: T[...], *, axes: int[]?, keepdims: bool=false) -> T[...] where T: any",
     .doc = doc,
     .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_desc vjps[] = {rules::extreme_vjp(name)};

constexpr auto samples = rules::extreme_samples(name, "f32[3]{-inf,-inf,-inf}", "no maximum");

}  // namespace

TENON_UNIT(max) = {.ops = ops, .vjps = vjps, .samples = samples};
