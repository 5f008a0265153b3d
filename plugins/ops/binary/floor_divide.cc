// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/floor_divide.cc: floor_divide, the quotient rounded down, element by element.
//
// y = floor(a / b);  da = db = 0.
// Source: Python array API standard, `floor_divide`; integers by zero as in NumPy.
#include "binary/whole_quotient.hpp"
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.floor_divide";

constexpr std::string_view doc =
    R"(The quotient rounded down: `y = floor(a / b)`. The operands are broadcast together.

Integers stay integers; one divided by zero gives 0, and the least one divided by -1 wraps to
itself. Of floats, `b = 0` gives what `a / b` gives, an infinite `a` otherwise NaN, and an infinite
`b` of the sign that a finite `a` has not gives -1, as in Python.

Gradient: 0 for both.

Source: Python array API standard, `floor_divide`; integers by zero as in NumPy.

Canonical arithmetic: the floor of the exact quotient, where that is less than 2^p; from there on
the quotient rounded to nearest even. p is 24 for f16, bf16 and f32, 53 for f64. f16 and bf16 are
rounded once more. Integers are exact modulo 2^bits.)";

// What is not set is 0.
void vjp(sdk::Vjp&) {}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "floor_divide(a: T[...], b: T[...]) -> T[...] where T: number promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_need needs[] = {{}, {}};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

// By itself: within a list, two literals side by side look like a comma that was forgotten.
constexpr std::string_view digits_of_f64 =
    "f64[5]{9007199254740992.0,-9007199254740992.0,1e17,-1e17,1.7976931348623157e308}, "
    "0.9999999999999999";

// Quotients of more digits than the dtype has, too large and too small ones. From far enough away
// these stairs look like a slope; the last number of each keeps differences from saying so: moved,
// it overflows in f64.
constexpr std::string_view large[] = {
    "f32[5]{16777216.0,-16777216.0,33554434.0,70000001.0,1.7976931348623157e308}, 0.99999994",
    "f32[5]{1e10,-1e10,3e38,1e-40,1.7976931348623157e308}, 0.3",
    "f32[4]{3e38,-3e38,3.4028235e38,1.7976931348623157e308}, 1e-30",
    digits_of_f64,
    "f64[4]{1e300,-1e300,2.2250738585072014e-308,1.7976931348623157e308}, 1e-200",
    "f16[4]{65504.0,-65504.0,2048.0,1.7976931348623157e308}, 0.0004",
    "bf16[4]{3e38,-3e38,256.0,1.7976931348623157e308}, 0.3",
};
constexpr auto samples = tenon::whole_quotient::samples(name, large);

}  // namespace

TENON_UNIT(floor_divide) = {.ops = ops, .vjps = vjps, .samples = samples};
