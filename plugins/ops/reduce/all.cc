// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/all.cc: all, whether every element over some or all axes is true.
//
// y = x_0 and x_1 and ...; an element is true that is not 0. Source: array-api `all`.
#include "reduce/truth.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.all";

constexpr std::string_view doc =
    R"(Whether every element over `axes` is true (none: all axes; an empty list: no axis, so that
each element is asked by itself). A number is true that is not 0; NaN is true. `keepdims` leaves
each reduced dimension as 1. Of nothing: true.

No gradient: the result is bool.

Source: Python array API standard, `all`.

Canonical arithmetic: exact.)";

void compose(sdk::Compose& c) { rules::compose_truth(c, "tenon.min", true); }

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "all(x: T[...], *, axes: int[]?, keepdims: bool=false) -> bool[...] where T: any",
     .doc = doc,
     .shape = TENON_SHAPE_REDUCE,
     .compose = sdk::compose_fn<compose>})};

constexpr auto samples = rules::truth_samples(name);

}  // namespace

TENON_UNIT(all) = {.ops = ops, .samples = samples};
