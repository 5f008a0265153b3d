// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/atan2.cc: atan2, the angle of a point, element by element.
//
// out = atan2(y, x);  dy = d x / (x^2 + y^2);  dx = -d y / (x^2 + y^2).
// Source: Python array API standard, `atan2`; C, `atan2`; gradient as in PyTorch
// `tools/autograd/derivatives.yaml`.
#include "ends.hpp"
#include "rules.hpp"

namespace {

namespace ends = tenon::ends;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.atan2";

constexpr std::string_view doc =
    R"(The angle of the point `(x, y)` seen from the origin, in radians from -pi to pi, counted from
the positive x axis: the arc tangent of `y / x`, in the quadrant that both signs say. `y` comes
first, as everywhere. The operands are broadcast together.

Zeros and infinities are as in C: `atan2(0, x)` is 0 for a positive `x` and pi for a negative one,
-0 counting as negative; of two infinities it is an odd multiple of pi / 4. The sign is that of `y`.

Gradient: `dy = d * (x / h) / h` and `dx = -d * (y / h) / h` with `h = hypot(x, y)`, so that no
square overflows. At the origin, where there is none, it is NaN.

Source: Python array API standard, `atan2`; C, `atan2`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; f32 and
f64 are within 2 ULP. f16 and bf16 are computed in f32 and rounded once. All of `tenon.ref` is what
the C library gives in f64, within 1 ULP.)";

// d (a / h) / h, where h is the distance from the origin.
tenon_tensor* pulled(sdk::Vjp& v, sdk::Value a, sdk::Value h) {
  tenon_tensor* slope = v.call("tenon.div", {v.call("tenon.div", {a, h}), h});
  return v.call("tenon.mul", {v.dy(), slope});
}

void vjp(sdk::Vjp& v) {
  const sdk::Value y = v.in(0);
  const sdk::Value x = v.in(1);
  tenon_tensor* h = v.call("tenon.hypot", {x, y});
  if (v.wants(0)) v.grad(0, pulled(v, x, h));
  if (v.wants(1)) v.grad(1, v.call("tenon.neg", {pulled(v, y, h)}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "atan2(y: T[...], x: T[...]) -> T[...] where T: float promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(0) | sdk::bit(1)}),
                                    sdk::need({.inputs = sdk::bit(0) | sdk::bit(1)})};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3](-2,2), f64[2,3](0.5,2)"),
    sdk::sample(name, "f64[2,3](0.5,2), f64[3](-2,2)"),
    sdk::sample(name, "f64[4,1](-2,-0.5), f64[1,5](-2,2)"),
    sdk::sample(name, "f64[2,1,3,2](0.5,2), f64[4,1,2](-2,2)"),
    sdk::sample(name, "f64[2,3](-2,2), f64[](1,2)"),
    sdk::sample(name, "f64[1](0.5,2), f64[1,1]"),
    sdk::sample(name, "f64[3](0.5,2), 2.5"),
    sdk::sample(name, "-1, f64[3](-2,2)"),
    sdk::sample(name, "f64[0,3], f64[3]"),
    sdk::sample(name, "f32[3], f16[3](0.5,2)"),
    sdk::sample(name, "i32[3](1,5), f32[3](1,2)"),
    sdk::sample(name, "i32[3](1,5), 2"),
    sdk::sample(name, ends::kF32Pairs),
    // Not the smallest numbers of f64 side by side: differences cannot judge slopes of 1e307.
    sdk::sample(name,
                "f64[4]{1.7976931348623157e308,-1.7976931348623157e308,1.0,5e-324}, "
                "f64[4]{1e292,1e10,1.1102230246251565e-16,1.7976931348623157e308}"),
    sdk::sample(name, ends::kF16Pairs),
    sdk::sample(name, ends::kBf16Pairs),
    sdk::sample(name, ends::kSpecialPairs),
    // Zeros of either sign on either side, and infinities.
    sdk::sample(name,
                "f32[8]{0.0,-0.0,0.0,-0.0,1.0,-1.0,0.0,-0.0}, "
                "f32[8]{0.0,0.0,-0.0,-0.0,-0.0,0.0,-1.0,2.0}"),
    sdk::sample(name,
                "f32[9]{inf,inf,-inf,-inf,1.0,-1.0,inf,nan,1.0}, "
                "f32[9]{inf,-inf,inf,-inf,-inf,inf,1.0,inf,nan}"),
    // The diagonals and both sides of tan(pi / 8), where reductions change.
    sdk::sample(name,
                "f64[8]{1.0,1.0,-3.0,0.41421356237309503,0.41421356237309509,1.0,-1.0,1e-300}, "
                "f64[8]{1.0,-1.0,-3.0,1.0,1.0,-0.41421356237309509,0.41421356237309503,-1e300}"),
    sdk::sample(name, "f64[4]{5e-324,1e307,-1e307,3e-324}, f64[4]{1.5,1.5e307,1e-308,3e300}"),
    sdk::refused(name, "f32[2], f32[3]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2,3], f32[2]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances =
    sdk::float_tolerances(name,
                          "The C library's atan2 is within 1 ULP in f64; a vector kernel that "
                          "adds a multiple of pi / 4 is within 2.",
                          {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {2, 0}, .f64 = {2, 0}});

}  // namespace

TENON_UNIT(atan2) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
