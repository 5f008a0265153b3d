// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/cumprod.cc: cumprod, the products of all elements up to each along an axis.
//
// y_i = x_0 ... x_i;  dx_i = (x_0 ... x_{i-1}) g_i, g_i = dy_i + x_{i+1} g_{i+1}.
// Source: array-api `cumulative_prod`; the gradient is Horner's rule on its definition.
#include "reduce/balanced.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.cumprod";

constexpr std::string_view doc =
    R"(The products of all elements up to and with each one along `axis`: `y[i] = x[0] * ... *
x[i]`. With `reverse` they begin at the axis' end: `y[i] = x[i] * ... * x[n-1]`. With `exclusive`
the element itself is left out, and the first product is 1. Integers and bools are multiplied as
i64, modulo 2^64.

Gradient: `dx[i]` is the exclusive product before `i` times `g[i]`, where `g[i] = dy[i] + x[i+1] *
g[i+1]` (`tenon.linear_recurrence`); with `exclusive` `dy[i+1]` stands for `dy[i]`. No element is
divided by, so zeros are like other numbers. It is computed in f64, with powers of two taken out of
the elements on the way, so that no product of some elements leaves the range where the result does
not; of f64 each such product is rounded.

Source: Python array API standard, `cumulative_prod`; of u8 as in PyTorch, where the standard asks
for u64; `reverse` and `exclusive` as in TensorFlow's `tf.math.cumprod`.

Canonical arithmetic: one element after another in f64, each product rounded to T where it is
stored; integers wrap.)";

void vjp(sdk::Vjp& v) {
  const sdk::Value x = rules::as_f64(v, v.in(0));
  const int64_t axis = v.attr(rules::kScanAxis).as.i64;
  const bool reverse = v.attr(rules::kReverse).as.i64 != 0;
  sdk::Value dy = rules::as_f64(v, v.dy());
  if (v.attr(rules::kExclusive).as.i64 != 0) dy = rules::neighbour_before(v, dy, axis, !reverse);
  const auto balanced = rules::Balanced::along(v, x, axis, reverse);
  const sdk::Value before = v.call(name, {balanced.x}, {axis, reverse, true});
  const sdk::Value factors = rules::neighbour_before(v, balanced.x, axis, !reverse);
  dy = rules::times_power_of_2(v, dy, balanced.upto);
  const sdk::Value rest = v.call("tenon.linear_recurrence", {factors, dy}, {axis, !reverse});
  const sdk::Value power = v.call("tenon.sub", {balanced.before, balanced.upto});
  rules::set_grad(v, rules::times_power_of_2(v, v.call("tenon.mul", {before, rest}), power));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "cumprod(x: T[...], *, axis: int, reverse: bool=false, "
                       "exclusive: bool=false) -> T[...] where T: float|i64 promote",
             .doc = doc,
             .infer = sdk::infer_fn<rules::infer_scan>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(0), .input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp(
    {.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = rules::kScanAttributes})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[5] | axis=0"),
    sdk::sample(name, "f64[2,3,4] | axis=1"),
    sdk::sample(name, "f64[2,3,4] | axis=-1, reverse=true"),
    sdk::sample(name, "f64[2,1,3,2] | axis=2, exclusive=true"),
    sdk::sample(name, "f64[4,3] | axis=0, reverse=true, exclusive=true"),
    sdk::sample(name, "f64[5]{2.0,0.0,-1.5,0.0,0.5} | axis=0"),
    sdk::sample(name, "f64[5]{2.0,-0.5,-1.5,0.0,0.5} | axis=0, reverse=true"),
    sdk::sample(name, "f32[3,67](0.8,1.25) | axis=1"),
    sdk::sample(name, "f32[67,5](0.8,1.25) | axis=0"),
    sdk::sample(name, "f32[11,19](0.8,1.25) | axis=1, reverse=true"),
    sdk::sample(name, "f64[4,1] | axis=1"),
    sdk::sample(name, "f64[1,4] | axis=0, exclusive=true"),
    sdk::sample(name, "f64[0] | axis=0"),
    sdk::sample(name, "f64[2,0,3] | axis=1, exclusive=true"),
    sdk::sample(name, "f64[2,0,3] | axis=2"),
    sdk::sample(name, "f32[3]{3.4028235e38,2.0,0.25} | axis=0"),
    sdk::sample(name, "f32[3]{1e-45,0.25,8.0} | axis=0"),
    sdk::sample(name, "f64[2]{1.7976931348623157e308,5e-324} | axis=0"),
    sdk::sample(name, "f64[2]{2.2250738585072014e-308,0.5} | axis=0"),
    sdk::sample(name, "f16[3]{60000.0,60000.0,1e-4} | axis=0"),
    sdk::sample(name, "bf16[3]{3.39e38,9.2e-41,2.0} | axis=0"),
    sdk::sample(name, "f32[4]{1.0,inf,-2.0,0.0} | axis=0"),
    sdk::sample(name, "f32[3]{1.0,nan,1.0} | axis=0, reverse=true"),
    sdk::sample(name, "i32[3]{2147483647,2,-3} | axis=0"),
    sdk::sample(name, "i64[2]{-9223372036854775808,-1} | axis=0"),
    sdk::sample(name, "u8[2,2]{255,2,128,128} | axis=1"),
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
    "Products of f64 round at each element; those of narrower floats once more than the exact "
    "product.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {32, 0}});

}  // namespace

TENON_UNIT(cumprod) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
