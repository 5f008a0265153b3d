// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/cumsum.cc: cumsum, the sums of all elements up to each along an axis.
//
// y_i = x_0 + ... + x_i;  dx_i = dy_i + dy_{i+1} + ..., a cumsum from the other end.
// Source: array-api `cumulative_sum`.
#include "reduce/scan.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.cumsum";

constexpr std::string_view doc =
    R"(The sums of all elements up to and with each one along `axis`: `y[i] = x[0] + ... + x[i]`.
With `reverse` they begin at the axis' end: `y[i] = x[i] + ... + x[n-1]`. With `exclusive` the
element itself is left out, and the first sum is 0. Integers and bools are summed as i64, modulo
2^64.

Gradient: `dx` is the cumsum of `dy` from the other end.

Source: Python array API standard, `cumulative_sum`; of u8 as in PyTorch, where the standard asks
for u64; `reverse` and `exclusive` as in TensorFlow's `tf.cumsum`.

Canonical arithmetic: one element after another in f64, each sum rounded to T where it is stored;
integers wrap.)";

void vjp(sdk::Vjp& v) {
  const bool reverse = v.attr(rules::kReverse).as.i64 != 0;
  v.grad(0,
         v.call(name, {v.dy()}, {v.attr(rules::kScanAxis), !reverse, v.attr(rules::kExclusive)}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "cumsum(x: T[...], *, axis: int, reverse: bool=false, "
                       "exclusive: bool=false) -> T[...] where T: float|i64 promote",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .infer = sdk::infer_fn<rules::infer_scan>})};

constexpr tenon_vjp_need needs[1] = {};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp(
    {.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = rules::kScanAttributes})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[5] | axis=0"),
    sdk::sample(name, "f64[2,3,4] | axis=1"),
    sdk::sample(name, "f64[2,3,4] | axis=-1, reverse=true"),
    sdk::sample(name, "f64[2,1,3,2] | axis=2, exclusive=true"),
    sdk::sample(name, "f64[4,3] | axis=0, reverse=true, exclusive=true"),
    sdk::sample(name, "f32[3,67](0,1) | axis=1"),
    sdk::sample(name, "f32[67,5](0,1) | axis=0"),
    sdk::sample(name, "f32[11,19](0,1) | axis=1, reverse=true"),
    sdk::sample(name, "f64[4,1] | axis=1"),
    sdk::sample(name, "f64[1,4] | axis=0, exclusive=true"),
    sdk::sample(name, "f64[0] | axis=0"),
    sdk::sample(name, "f64[2,0,3] | axis=1, exclusive=true"),
    sdk::sample(name, "f64[2,0,3] | axis=2"),
    sdk::sample(name, "f32[3]{3.4028235e38,1e-45,-3.4028235e38} | axis=0"),
    sdk::sample(name, "f32[3]{1e-45,1.1754944e-38,1e-45} | axis=0"),
    sdk::sample(name, "f64[2]{1.7976931348623157e308,5e-324} | axis=0"),
    sdk::sample(name, "f64[3]{5e-324,2.2250738585072014e-308,5e-324} | axis=0"),
    sdk::sample(name, "f16[3]{60000.0,60000.0,-60000.0} | axis=0"),
    sdk::sample(name, "bf16[2]{3.39e38,9.2e-41} | axis=0"),
    sdk::sample(name, "f32[4]{1.0,inf,-inf,1.0} | axis=0"),
    sdk::sample(name, "f32[3]{1.0,nan,1.0} | axis=0, reverse=true"),
    sdk::sample(name, "i32[3]{2147483647,1,-3} | axis=0"),
    sdk::sample(name, "i64[2]{-9223372036854775808,-1} | axis=0"),
    sdk::sample(name, "u8[2,2]{255,1,128,128} | axis=1"),
    sdk::sample(name, "i16[2,3] | axis=0, exclusive=true"),
    sdk::sample(name, "bool[4] | axis=0"),
    sdk::refused(name, "f32[2,3] | axis=2", TENON_E_ATTRIBUTE, "axis is out of range"),
    sdk::refused(name, "f32[2,3] | axis=1.0", TENON_E_ATTRIBUTE, "axis"),
    sdk::refused(name, "f32[2,3]", TENON_E_ATTRIBUTE, "axis"),
    sdk::refused(name, "f32[] | axis=0", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[3] | axis=0, reverse=1", TENON_E_ATTRIBUTE, "reverse"),
    sdk::refused(name, "f32[3] | axis=0, exclusive=1", TENON_E_ATTRIBUTE, "exclusive"),
    sdk::refused(name, "f32[2], f32[2] | axis=0", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Sums of f64 round at each element; those of narrower floats once more than the exact sum.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {1, 1e-14}});

}  // namespace

TENON_UNIT(cumsum) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
