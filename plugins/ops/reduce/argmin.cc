// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/argmin.cc: argmin, where the smallest element lies.
//
// y = first index of min x. Source: array-api `argmin`.
#include "reduce/extreme.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.argmin";

constexpr std::string_view doc =
    R"(The index of the smallest element along `axis`; without an axis, of the tensor read in
row-major order. Of equal elements the first wins; a NaN counts as smaller than any number.
`keepdims` leaves each reduced dimension as 1.

No gradient: the result is i64.

Source: Python array API standard, `argmin`; NaN as in NumPy.

Canonical arithmetic: exact.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::infer_place(args, out, "smallest");
}

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "argmin(x: T[...], *, axis: int?, keepdims: bool=false) -> i64[...] where T: any",
     .doc = doc,
     .infer = sdk::infer_fn<infer>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[5]"),
    sdk::sample(name, "f64[2,3,4] | axis=1"),
    sdk::sample(name, "f64[2,3,4] | axis=-1, keepdims=true"),
    sdk::sample(name, "f64[2,1,3,2] | axis=2"),
    sdk::sample(name, "f64[2,3] | keepdims=true"),
    sdk::sample(name, "i64[2,3]{4,7,7,-1,-1,-3} | axis=1"),
    sdk::sample(name, "f32[4]{1.0,nan,inf,nan}"),
    sdk::sample(name, "f32[3]{inf,inf,inf}"),
    sdk::sample(name, "f32[4]{-0.0,0.0,-0.0,-1e-45}"),
    sdk::sample(name, "f32[3]{1e-45,3.4028235e38,1.1754944e-38}"),
    sdk::sample(name, "f64[3]{5e-324,-1.7976931348623157e308,2.2250738585072014e-308}"),
    sdk::sample(name, "f16[2]{6e-8,65504.0}"),
    sdk::sample(name, "bf16[2]{9.2e-41,3.39e38}"),
    sdk::sample(name, "i64[3]{-9223372036854775808,9223372036854775807,9223372036854775806}"),
    sdk::sample(name, "u8[4]{1,255,0,255}"),
    sdk::sample(name, "bool[4]{false,true,true,false}"),
    sdk::sample(name, "f64[1]"),
    sdk::sample(name, "f64[]"),
    sdk::sample(name, "f64[0,3] | axis=1"),
    sdk::refused(name, "f32[2,3] | axis=2", TENON_E_ATTRIBUTE, "axis"),
    sdk::refused(name, "f32[2,3] | axis=-3", TENON_E_ATTRIBUTE, "axis"),
    sdk::refused(name, "f32[2,3] | axis=1.0", TENON_E_ATTRIBUTE, "axis"),
    sdk::refused(name, "f32[2,0] | axis=1", TENON_E_SHAPE, "no smallest element"),
    sdk::refused(name, "f32[0]", TENON_E_SHAPE, "no smallest element"),
    sdk::refused(name, "f32[] | axis=0", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(argmin) = {.ops = ops, .samples = samples};
