// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/argmax.cc: argmax, where the largest element lies.
//
// y = first index of max x. Source: array-api `argmax`.
#include "reduce/extreme.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.argmax";

constexpr std::string_view doc =
    R"(The index of the largest element along `axis`; without an axis, of the tensor read in
row-major order. Of equal elements the first wins; a NaN counts as larger than any number.
`keepdims` leaves each reduced dimension as 1.

No gradient: the result is i64.

Source: Python array API standard, `argmax`; NaN as in NumPy.

Canonical arithmetic: exact.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::infer_place(args, out, "largest");
}

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "argmax(x: T[...], *, axis: int?, keepdims: bool=false) -> i64[...] where T: any",
     .doc = doc,
     .infer = sdk::infer_fn<infer>})};

constexpr auto samples = rules::place_samples(name, "f32[3]{-inf,-inf,-inf}", "no largest element");

}  // namespace

TENON_UNIT(argmax) = {.ops = ops, .samples = samples};
