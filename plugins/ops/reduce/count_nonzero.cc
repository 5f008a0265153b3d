// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/count_nonzero.cc: count_nonzero, how many elements over some or all axes are
// not zero.
//
// y = number of x != 0 over axes. Source: array-api `count_nonzero`.
#include "reduce/truth.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.count_nonzero";

constexpr std::string_view doc =
    R"(How many elements over `axes` are not zero (none: all axes; an empty list: no axis, so that
each element is asked by itself). `keepdims` leaves each reduced dimension as 1. Of nothing it is 0.
NaN is not zero, -0 is.

No gradient: a count is an integer.

Source: Python array API standard, `count_nonzero`.

Canonical arithmetic: exact.)";

void compose(sdk::Compose& c) {
  sdk::Value x = c.in(0);
  if (c.meta(x.tensor()).dtype != TENON_DTYPE_BOOL) {
    x = c.call("tenon.cast", {x}, {sdk::Value::dtype(TENON_DTYPE_BOOL)});
  }
  c.set(0, c.call("tenon.sum", {x}, {c.attrs[0], c.attrs[1]}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "count_nonzero(x: T[...], *, axes: int[]?, keepdims: bool=false) -> "
                       "i64[...] where T: any",
             .doc = doc,
             .shape = TENON_SHAPE_REDUCE,
             .compose = sdk::compose_fn<compose>})};

constexpr auto samples = rules::truth_samples(name);

}  // namespace

TENON_UNIT(count_nonzero) = {.ops = ops, .samples = samples};
