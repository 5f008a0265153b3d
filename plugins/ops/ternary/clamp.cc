// SPDX-License-Identifier: Apache-2.0
// plugins/ops/ternary/clamp.cc: clamp, values kept between two limits, each of which may be absent.
//
// y = minimum(maximum(x, min), max).
// dx = dy where min <= x <= max, dmin = dy where x < min < max, dmax = dy where x > max or
// min > max; else 0.
// Source: Python array API standard, `clip`; gradient as PyTorch's `clamp`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.clamp";

constexpr std::string_view doc =
    R"(Keeps values between two limits: `y = minimum(maximum(x, min), max)`. A limit that is absent
is none; with neither, `y = x`. The operands are broadcast together. Where `min > max`, `y` is
`max`.

Gradient: `dx = dy` where `min <= x <= max`; `dmin = dy` where `x < min` and `min < max`; `dmax =
dy` where `x > max` or `max < min`; else 0.

Source: Python array API standard, `clip`; promotion and gradient as in PyTorch, `clamp` and
`torch/csrc/autograd/FunctionsManual.cpp`.

Canonical arithmetic: exact. Where any operand is NaN the result is NaN; of equal operands, zeros of
either sign included, it is the first.)";

tenon_tensor* both(sdk::Vjp& v, tenon_tensor* a, tenon_tensor* b) {
  if (!a || !b) return a ? a : b;
  return v.call("tenon.logical_and", {a, b});
}

// dy if the condition holds; all of it if there is none.
void keep(sdk::Vjp& v, uint32_t input, tenon_tensor* condition) {
  v.grad(input, condition ? v.call("tenon.where", {condition, v.dy(), 0}) : v.dy().tensor());
}

void x_grad(sdk::Vjp& v, sdk::Value x, sdk::Value least, sdk::Value most) {
  tenon_tensor* above = least.is_none() ? nullptr : v.call("tenon.ge", {x, least});
  tenon_tensor* below = most.is_none() ? nullptr : v.call("tenon.le", {x, most});
  keep(v, 0, both(v, above, below));
}

tenon_tensor* in_order(sdk::Vjp& v, sdk::Value least, sdk::Value most) {
  return most.is_none() ? nullptr : v.call("tenon.lt", {least, most});
}

void vjp(sdk::Vjp& v) {
  const sdk::Value x = v.in(0);
  const sdk::Value least = v.in(1);
  const sdk::Value most = v.in(2);
  if (v.wants(0)) x_grad(v, x, least, most);
  if (v.wants(1)) {
    keep(v, 1, both(v, v.call("tenon.lt", {x, least}), in_order(v, least, most)));
  }
  if (v.wants(2)) {
    tenon_tensor* above = v.call("tenon.gt", {x, most});
    if (!least.is_none()) {
      above = v.call("tenon.logical_or", {above, v.call("tenon.lt", {most, least})});
    }
    keep(v, 2, above);
  }
}

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "clamp(x: T[...], min: T[...]?, max: T[...]?) -> T[...] where T: number promote",
     .doc = doc,
     .shape = TENON_SHAPE_BROADCAST,
     .flags = TENON_OP_ELEMENTWISE})};

constexpr uint64_t all = sdk::bit(0) | sdk::bit(1) | sdk::bit(2);
constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = all}),
    sdk::need({.inputs = all}),
    sdk::need({.inputs = all}),
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3](-2,2), f64[2,3](-1,0), f64[2,3](0,1)"),
    sdk::sample(name, "f64[2,3](-2,2), f64[3](-1,0), f64[2,1](0,1)"),
    sdk::sample(name, "f64[2,1,2,3](-2,2), f64[2,2,1](-1,0), f64[3](0,1)"),
    sdk::sample(name, "f64[](-2,2), f64[2](-1,0), f64[2](0,1)"),
    sdk::sample(name, "f64[2,3](-2,2), f64[3](-1,1)"),
    sdk::sample(name, "f64[2,3](-2,2), none, f64[3](-1,1)"),
    sdk::sample(name, "f64[2,3](-2,2)"),
    sdk::sample(name, "f64[2,3](-2,2), -0.5, 0.5"),
    sdk::sample(name, "f64[7](-2,2), -0.5"),
    sdk::sample(name, "f64[7](-2,2), none, 0.5"),
    sdk::sample(name, "f64[7](-2,2), -0.5, f64[7](0,1)"),
    sdk::sample(name, "0, f64[2,2](-1,1), 0.5"),
    // Limits in the wrong order.
    sdk::sample(name, "f64[7](-2,2), f64[7](0.5,1), f64[7](-1,0.4)"),
    sdk::sample(name, "f64[7](-2,2), 0.5, -0.5"),
    sdk::sample(name, "f32[67](-2,2), f32[67](-1,0), f32[67](0,1)"),
    sdk::sample(name, "i32[67](-9,9), i32[67](-5,0), i32[67](0,5)"),
    sdk::sample(name, "i32[6], -2, 2"),
    sdk::sample(name, "i32[6], -0.5"),
    sdk::sample(name, "u8[6](0,256), 16, 235"),
    sdk::sample(name, "u8[3], i8[3], i16[3]"),
    sdk::sample(name, "f32[3], f16[3], f64[3]"),
    sdk::sample(name, "f64[0,3], f64[3], f64[1,3]"),
    sdk::sample(name,
                "i64[4]{-9223372036854775808,9223372036854775807,9007199254740993,0}, "
                "-9007199254740993, 9007199254740992"),
    sdk::sample(name, "i8[4]{-128,127,-1,0}, i8[4]{-127,-128,0,127}, i8[4]{127,126,-128,127}"),
    sdk::sample(name, "i16[2]{-32768,32767}, i16[2]{-32767,-32768}, i16[2]{32767,32766}"),
    sdk::sample(name,
                "f32[8]{nan,1.0,1.0,inf,-inf,-inf,-0.0,0.0}, "
                "f32[8]{0.0,nan,0.0,0.0,0.0,-inf,0.0,-0.0}, "
                "f32[8]{1.0,1.0,nan,1.0,1.0,inf,-0.0,-0.0}"),
    sdk::sample(name,
                "f32[5]{3.4028235e38,-3.4028235e38,1e-45,-1e-45,1.1754944e-38}, "
                "f32[5]{-3e38,-3e38,0.0,0.0,1e-45}, f32[5]{3e38,3e38,1.0,1.0,1e-40}"),
    sdk::sample(name,
                "f64[3]{1.7976931348623157e308,5e-324,-5e-324}, "
                "f64[3]{-1.0,1e-323,0.0}, f64[3]{1e308,1.0,2.2250738585072014e-308}"),
    sdk::sample(name,
                "f16[3]{65504.0,6e-8,-65504.0}, f16[3]{0.0,1.2e-7,-1.0}, f16[3]{60000.0,1.0,1.0}"),
    sdk::sample(
        name, "bf16[3]{3.39e38,9.2e-41,-3.39e38}, bf16[3]{0.0,2e-40,-1.0}, bf16[3]{3e38,1.0,1.0}"),
    sdk::refused(name, "f32[2], f32[3], f32[3]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2,3], none, f32[2]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "bool[2], bool[2]", TENON_E_DTYPE, "bool"),
    sdk::refused(name, "f32[2], f32[2], f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(clamp) = {.ops = ops, .vjps = vjps, .samples = samples};
