// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/cummin.cc: cummin, the smallest of all elements up to each along an axis, and
// where it was.
//
// values[i] = min(x[0], ..., x[i]);  dx = dvalues scattered to indices.
// Source: PyTorch's `cummin`.
#include "reduce/running.hpp"

namespace {

namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.cummin";

constexpr std::string_view doc =
    R"(The smallest of all elements up to and with each one along `axis`, and `indices`, where it
was. Of equal elements the last is taken, zeros of either sign being equal. From the first NaN on
all values are NaN, and `indices` has the last NaN so far.

Gradient: the gradient of `values` goes back to where each value was, of equal elements to the
last; `indices` has none.

Source: PyTorch, `cummin`, whose indices are those of its kernel.

Canonical arithmetic: none; bits are moved.)";

constexpr tenon_op_desc ops[] = {rules::running_op(
    name, "cummin(x: T[...], *, axis: int) -> (values: T[...], indices: i64[...])", doc)};

constexpr tenon_vjp_desc vjps[] = {rules::running_vjp(name)};

constexpr auto samples = rules::running_samples(name);

}  // namespace

TENON_UNIT(cummin) = {.ops = ops, .vjps = vjps, .samples = samples};
