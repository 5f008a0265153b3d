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

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(0), .outputs = sdk::bit(0), .input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<rules::vjp_extreme>, .n_attrs = 2})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3]"),
    sdk::sample(name, "f64[2,3,4] | axes=[1]"),
    sdk::sample(name, "f64[2,3,4] | axes=[-1,0], keepdims=true"),
    sdk::sample(name, "f64[2,3,1,4] | axes=[1,3]"),
    sdk::sample(name, "f64[2,3] | axes=[]"),
    sdk::sample(name, "f64[] | axes=[]"),
    sdk::sample(name, "f64[]"),
    sdk::sample(name, "f32[61](0,1)"),
    sdk::sample(name, "f32[70,67](0,1) | axes=[1]"),
    sdk::sample(name, "f64[4,1] | axes=[1], keepdims=true"),
    sdk::sample(name, "f64[2,0,3] | axes=[0]"),
    sdk::sample(name, "i32[2,3]{1,5,5,-2,-2,-7} | axes=[1]"),
    sdk::sample(name, "f32[4]{1.0,nan,inf,-inf}"),
    sdk::sample(name, "f32[3]{-inf,-inf,-inf}"),
    sdk::sample(name, "f32[2,2]{0.0,-0.0,-0.0,0.0} | axes=[1]"),
    sdk::sample(name, "f32[3]{1e-45,1.1754944e-38,-3.4028235e38}"),
    sdk::sample(name, "f64[3]{-1.7976931348623157e308,5e-324,2.2250738585072014e-308}"),
    sdk::sample(name, "f16[3]{65504.0,-65504.0,6e-8}"),
    sdk::sample(name, "bf16[2]{3.39e38,9.2e-41}"),
    sdk::sample(name, "i64[3]{-9223372036854775808,0,9223372036854775807}"),
    sdk::sample(name, "u8[4]"),
    sdk::sample(name, "bool[2,2] | axes=[0]"),
    sdk::refused(name, "f32[2,3] | axes=[2]", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2,3] | axes=[-3]", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2,3] | axes=[0,0]", TENON_E_ATTRIBUTE, "twice"),
    sdk::refused(name, "f32[2,3] | axes=1", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2,3] | keepdims=1", TENON_E_ATTRIBUTE, "keepdims"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2,0] | axes=[1]", TENON_E_SHAPE, "no maximum"),
    sdk::refused(name, "f32[0]", TENON_E_SHAPE, "no maximum"),
};

}  // namespace

TENON_UNIT(max) = {.ops = ops, .vjps = vjps, .samples = samples};
