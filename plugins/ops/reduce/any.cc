// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/any.cc: any, whether an element over some or all axes is true.
//
// y = x_0 or x_1 or ...; an element is true that is not 0. Source: array-api `any`.
#include "reduce/truth.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.any";

constexpr std::string_view doc =
    R"(Whether any element over `axes` is true (none: all axes; an empty list: no axis, so that each
element is asked by itself). A number is true that is not 0; NaN is true. `keepdims` leaves each
reduced dimension as 1. Of nothing: false.

No gradient: the result is bool.

Source: Python array API standard, `any`.

Canonical arithmetic: exact.)";

void compose(sdk::Compose& c) { rules::compose_truth(c, "tenon.max", false); }

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "any(x: T[...], *, axes: int[]?, keepdims: bool=false) -> bool[...] where T: any",
     .doc = doc,
     .shape = TENON_SHAPE_REDUCE,
     .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "bool[2,3]"),
    sdk::sample(name, "bool[2,3,4] | axes=[1]"),
    sdk::sample(name, "bool[2,3,4] | axes=[-1,0], keepdims=true"),
    sdk::sample(name, "bool[2,3,1,4] | axes=[1,3]"),
    sdk::sample(name, "f64[2,3] | axes=[]"),
    sdk::sample(name, "bool[] | axes=[]"),
    sdk::sample(name, "bool[]"),
    sdk::sample(name, "bool[3]{false,false,false}"),
    sdk::sample(name, "bool[3]{true,true,true}"),
    sdk::sample(name, "bool[2,2]{false,false,false,true} | axes=[1]"),
    sdk::sample(name, "bool[0]"),
    sdk::sample(name, "bool[2,0,3] | axes=[1]"),
    sdk::sample(name, "bool[2,0,3] | axes=[1], keepdims=true"),
    sdk::sample(name, "bool[2,0,3] | axes=[0]"),
    sdk::sample(name, "f32[2,2]{0.0,-0.0,0.0,1e-45} | axes=[1]"),
    sdk::sample(name, "f32[2,2]{nan,0.0,inf,3.4028235e38} | axes=[1]"),
    sdk::sample(name, "f64[2]{5e-324,1.7976931348623157e308} | axes=[]"),
    sdk::sample(name, "f16[2]{6e-8,65504.0} | axes=[]"),
    sdk::sample(name, "bf16[2]{9.2e-41,3.39e38} | axes=[]"),
    sdk::sample(name, "i64[2,2]{0,0,-9223372036854775808,0} | axes=[1]"),
    sdk::sample(name, "i8[2,2]{0,0,-128,0} | axes=[1]"),
    sdk::sample(name, "u8[4]{0,0,0,128}"),
    sdk::refused(name, "bool[2,3] | axes=[2]", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "bool[2,3] | axes=[-3]", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "bool[2,3] | axes=[0,0]", TENON_E_ATTRIBUTE, "twice"),
    sdk::refused(name, "bool[2,3] | axes=1", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "bool[2,3] | keepdims=1", TENON_E_ATTRIBUTE, "keepdims"),
    sdk::refused(name, "bool[2], bool[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(any) = {.ops = ops, .samples = samples};
