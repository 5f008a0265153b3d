// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/remainder.cc: remainder, what a division rounded down leaves, element by
// element.
//
// y = a - floor(a / b) b;  da = dy, db = -dy floor(a / b).
// Source: Python array API standard, `remainder`; integers by zero as in NumPy; gradient as in
// PyTorch `tools/autograd/derivatives.yaml`.
#include "binary/whole_quotient.hpp"
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.remainder";

constexpr std::string_view doc =
    R"(What division leaves: `y = a - floor(a / b) * b`, with the sign of `b`, as Python's `%`. The
operands are broadcast together.

A zero has the sign of `b`, too. Divided by an infinite `b`, `a` stays, or becomes `b` where the
signs differ. Of floats, `b = 0` and an infinite `a` give NaN; of integers, `b = 0` gives 0.

Gradient: `da = dy`, `db = -dy * floor(a / b)`.

Source: Python array API standard, `remainder`; integers by zero as in NumPy; gradient as in
PyTorch `tools/autograd/derivatives.yaml`.

Canonical arithmetic: the exact value rounded once, even where the quotient has more digits than the
dtype. Integers are exact.)";

void vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, v.dy());
  if (!v.wants(1)) return;
  tenon_tensor* quotient = v.call("tenon.floor_divide", {v.in(0), v.in(1)});
  v.grad(1, v.call("tenon.neg", {v.call("tenon.mul", {v.dy(), quotient})}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "remainder(a: T[...], b: T[...]) -> T[...] where T: number promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_need needs[] = {
    {},
    sdk::need({.inputs = sdk::bit(0) | sdk::bit(1)}),
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

// Quotients of more digits than the dtype has, too large and too small ones. Each row has one of a
// million or so, whose jumps keep differences from taking remainders for constants; a column has
// one that overflows.
constexpr std::string_view large[] = {
    "f32[5,1]{16777216.0,1e10,-1e10,3e38,1e-40}, f32[1,5]{0.99999994,3.0,1e-30,1e5,-1e33}",
    "f64[4,1]{9007199254740992.0,1e17,-1e17,1e300}, "
    "f64[1,6]{0.9999999999999999,3.0,-7.0,1e10,1e-200,1e294}",
    "f16[3,1]{65504.0,-100.0,1.0}, f16[1,4]{0.3,3.0,-0.1,0.004}",
    "bf16[4,1]{3e38,-256.0,256.0,1.0}, bf16[1,5]{1e-38,0.3,-0.1,1e33,1e-6}",
    "f32[2,1]{3.4028235e38,1.1754944e-38}, f32[1,4]{3.4028235e38,1e33,1e-45,-1e-45}",
    tenon::ends::kF64Pairs,
};
constexpr auto samples = tenon::whole_quotient::samples(name, large);

}  // namespace

TENON_UNIT(remainder) = {.ops = ops, .vjps = vjps, .samples = samples};
