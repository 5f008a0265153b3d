// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/pow.cc: pow, a power, element by element.
//
// y = a^b;  da = dy b a^(b-1), 0 where b = 0;  db = dy y log(a), 0 where a = 0 and b >= 0.
// Source: Python array API standard, `pow`; C, `pow`; gradient as in PyTorch
// `tools/autograd/derivatives.yaml`.
#include <cmath>
#include <limits>

#include "ends.hpp"
#include "rules.hpp"

namespace {

namespace ends = tenon::ends;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.pow";

constexpr std::string_view doc =
    R"(A power: `y = a^b`. The operands are broadcast together.

Of floats as C has it: `a^0` and `1^b` are 1 whatever the other is, NaN included; a negative
`a` with a `b` that is not a whole number gives NaN. Of integers it wraps modulo 2^bits; with a
negative `b` it is `1 / a^-b` without its fraction: 1 for 1, 1 or -1 for -1, else 0.

Gradient: `da = dy * b * a^(b-1)`, 0 where `b` is 0; `db = dy * y * log(a)`, 0 where `a` is 0
and `b` is not negative, NaN where `a` is negative.

Source: Python array API standard, `pow`; C, `pow`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; f32 and
f64 are within 2 ULP. f16 and bf16 are computed in f32 and rounded once. All of `tenon.ref` is what
the C library gives in f64, within 1 ULP. Integers are exact modulo 2^bits.)";

// Where b is 0 the slope is 0 even at a = 0, whose power -1 is infinite: there the exponent 1
// stands in, which also keeps the gradient of the gradient finite.
tenon_tensor* base_grad(sdk::Vjp& v, sdk::Value a, sdk::Value b) {
  if (!b.is_tensor()) {
    const double exponent = sdk::Attrs::number(b);
    tenon_tensor* slope = v.call("tenon.mul", {v.call(name, {a, exponent - 1.0}), exponent});
    return v.call("tenon.mul", {v.dy(), slope});
  }
  tenon_tensor* flat = v.call("tenon.eq", {b, 0});
  tenon_tensor* lower = v.call("tenon.sub", {v.call("tenon.where", {flat, 1, b}), 1});
  tenon_tensor* slope = v.call("tenon.mul", {b, v.call(name, {a, lower})});
  return v.call("tenon.where", {flat, 0, v.call("tenon.mul", {v.dy(), slope})});
}

// y log(a) for the number 0: nothing if b >= 0, else infinite.
tenon_tensor* slope_at_zero(sdk::Vjp& v, sdk::Value flat) {
  constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
  tenon_tensor* steep = v.call("tenon.where", {flat, 1, v.out()});
  return v.call("tenon.where", {flat, 0, v.call("tenon.mul", {steep, minus_infinity})});
}

// Where a is 0 and b is not negative, 1 stands in for a: its logarithm makes the slope 0.
tenon_tensor* exponent_slope(sdk::Vjp& v, sdk::Value a, sdk::Value b) {
  const bool is_number = !a.is_tensor();
  const double base = is_number ? sdk::Attrs::number(a) : 0.0;
  if (base != 0) return v.call("tenon.mul", {v.out(), std::log(base)});
  // b >= 0, and false for NaN.
  tenon_tensor* flat = v.call("tenon.eq", {v.call("tenon.maximum", {b, 0}), b});
  if (is_number) return slope_at_zero(v, flat);
  flat = v.call("tenon.where", {v.call("tenon.eq", {a, 0}), flat, false});
  tenon_tensor* logarithm = v.call("tenon.log", {v.call("tenon.where", {flat, 1, a})});
  return v.call("tenon.mul", {v.out(), logarithm});
}

void vjp(sdk::Vjp& v) {
  const sdk::Value a = v.in(0);
  const sdk::Value b = v.in(1);
  const bool constant = !b.is_tensor() && sdk::Attrs::number(b) == 0;
  if (v.wants(0) && !constant) v.grad(0, base_grad(v, a, b));
  if (v.wants(1)) v.grad(1, v.call("tenon.mul", {v.dy(), exponent_slope(v, a, b)}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "pow(a: T[...], b: T[...]) -> T[...] where T: number promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(0) | sdk::bit(1)}),
    sdk::need({.inputs = sdk::bit(0) | sdk::bit(1), .outputs = sdk::bit(0)}),
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3](0.5,2), f64[2,3](-2,2)"),
    sdk::sample(name, "f64[2,3](0.5,2), f64[3]"),
    sdk::sample(name, "f64[4,1](0.5,2), f64[1,5](0,3)"),
    sdk::sample(name, "f64[2,1,3,2](0.5,2), f64[4,1,2](-2,2)"),
    sdk::sample(name, "f64[2,3](0.5,2), f64[](1,2)"),
    sdk::sample(name, "f64[1](0.5,2), f64[1,1]"),
    sdk::sample(name, "f64[3](0.5,2), 2.5"),
    sdk::sample(name, "f64[4]{-2.0,-0.5,0.0,1.5}, 2"),
    sdk::sample(name, "f64[4]{-2.0,-0.5,0.0,1.5}, 3"),
    sdk::sample(name, "f64[4]{-2.0,-0.5,0.0,1.5}, 0"),
    sdk::sample(name, "f64[4]{-2.0,-0.5,0.5,1.5}, -1"),
    sdk::sample(name, "f64[3](0.5,2), 1"),
    sdk::sample(name, "2, f64[2,2](-2,2)"),
    sdk::sample(name, "0.5, f64[3](-2,2)"),
    sdk::sample(name, "0, f64[3](1,3)"),
    sdk::sample(name, "-2.0, f32[4]{2.0,3.0,-1.0,0.5}"),
    sdk::sample(name, "f64[0,3](0.5,2), f64[3]"),
    sdk::sample(name, "f32[3](0.5,2), f16[3]"),
    sdk::sample(name, "i32[3](1,5), f32[3](0,2)"),
    sdk::sample(name, "i32[2], 0.5"),
    sdk::sample(name, "u8[4]{2,3,16,255}, u8[4]{7,5,2,255}"),
    sdk::sample(name, "i32[9]{0,1,-1,-1,2,-3,7,0,0}, i32[9]{-1,-5,-5,-4,-1,3,11,0,3}"),
    sdk::sample(name, "i64[5]{2,2,-2,3,10}, i64[5]{62,64,63,41,18}"),
    sdk::sample(name, "i32[4]{-2147483648,2147483647,2,-7}, 2"),
    sdk::sample(name, "u8[3], i8[3](0,4)"),
    sdk::sample(name, ends::kF32Pairs),
    sdk::sample(name, ends::kF64Pairs),
    sdk::sample(name, ends::kF16Pairs),
    sdk::sample(name, ends::kBf16Pairs),
    sdk::sample(name, ends::kSpecialPairs),
    sdk::sample(name, ends::kI64Pairs),
    sdk::sample(name, ends::kI16Pairs),
    sdk::sample(name, ends::kI8Pairs),
    // Zeros of either sign, ones, infinities and NaN, as base and as exponent.
    sdk::sample(name,
                "f32[9]{0.0,-0.0,-0.0,0.0,-0.0,1.0,nan,-1.0,-1.0}, "
                "f32[9]{0.0,3.0,2.0,-1.0,-3.0,nan,0.0,inf,-inf}"),
    sdk::sample(name,
                "f32[9]{-inf,-inf,-inf,inf,0.5,2.0,0.5,-8.0,-2.0}, "
                "f32[9]{3.0,-3.0,0.5,-0.5,inf,-inf,-inf,0.33333334,1e30}"),
    // Close to 1 with a huge exponent, and the ends of the range.
    sdk::sample(name,
                "f32[6]{1.0000001,0.99999994,2.0,2.0,10.0,-2.0}, "
                "f32[6]{700000000.0,1e9,127.5,-149.0,-45.0,127.0}"),
    sdk::sample(name,
                "f64[5]{1.0000000000000002,2.0,2.0,10.0,-10.0}, "
                "f64[5]{3e18,1023.9,-1074.0,-323.5,307.0}"),
    sdk::sample(name, "f16[4]{2.0,2.0,1.001,256.0}, f16[4]{15.5,-24.0,8000.0,2.0}"),
    sdk::refused(name, "f32[2], f32[3]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2,3], f32[2]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "bool[2], bool[2]", TENON_E_DTYPE, "bool"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "The C library's pow is within 1 ULP in f64; a vector kernel that multiplies a logarithm of "
    "more digits is within 2.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {2, 0}, .f64 = {2, 0}});

}  // namespace

TENON_UNIT(pow) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
