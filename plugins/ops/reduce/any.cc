// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/any.cc: any, whether an element over some or all axes is true.
//
// y = x_0 or x_1 or ...; an element is true that is not 0. Source: array-api `any`.
#include "reduce/truth.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.any";

constexpr std::string_view doc =
    R"(Whether any element over `axes` is true (none: all axes; an empty list: no axis, so that each
element is asked by itself). A number is true that is not 0; NaN is true. `keepdims` leaves each
reduced dimension as 1. Of nothing: false.

No gradient: the result is bool.

Source: Python array API standard, `any`.

Canonical arithmetic: exact.)";

void compose(sdk::Compose& c) { rules::compose_truth(c, "tenon.max", false); }

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "any(x: T[...], *, axes: int[]?, keepdims: bool=false) -> bool[...] where T: any",
     .doc = doc,
     .shape = TENON_SHAPE_REDUCE,
     .compose = sdk::compose_fn<compose>})};

constexpr auto samples = rules::truth_samples(name);

}  // namespace

TENON_UNIT(any) = {.ops = ops, .samples = samples};
