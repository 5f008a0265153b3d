// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/sort.cc: sort, the elements along an axis in order, and where they were.
//
// values = x gathered at indices, so that they ascend (descend);  dx = dvalues scattered back.
// Source: array-api `sort`, `argsort`; PyTorch's `sort`.
#include "index/order.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.sort";

constexpr std::string_view doc =
    R"(The elements of each line along `axis` in ascending (`descending`: descending) order, and
`indices`, where each of them was. Of equal elements the one that was first stays first, in
either order and whatever `stable` says; zeros of either sign are equal. A NaN counts as larger
than any number, and NaNs are equal: ascending they come last, descending first.

Gradient: the gradient of `values` goes back to where each value was, equal ones included; `indices`
has none.

Source: Python array API standard, `sort` and `argsort`, which leave the place of NaN open;
there as in NumPy and PyTorch's `sort`.

Canonical arithmetic: none; bits are moved.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::axis_of(args.attrs.integer(0), args.shape(0).size(), "axis");
  for (tenon_meta& meta : out) sdk::set_shape(meta, args.shape(0));
}

void vjp(sdk::Vjp& v) { rules::gradient_of_picked(v, 0); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "sort(x: T[...], *, axis: int=-1, descending: bool=false, stable: "
                       "bool=true) -> (values: T[...], indices: i64[...])",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name,
                                             .needs = rules::kPickedNeeds,
                                             .vjp = sdk::vjp_fn<vjp>,
                                             .n_outputs = 2,
                                             .n_attrs = 3})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,7]"),
    sdk::sample(name, "f64[4,3] | axis=0, descending=true"),
    sdk::sample(name, "f64[2,3,1,4] | axis=1"),
    sdk::sample(name, "f64[2,1,5,2] | axis=-2, descending=true, stable=false"),
    sdk::sample(name, "f64[63]"),
    sdk::sample(name, "f32[2,61] | descending=true"),
    sdk::sample(name, "f32[261](-50,50)"),
    sdk::sample(name, "i16[261](-300,300) | descending=true"),
    sdk::sample(name, "f64[1]"),
    sdk::sample(name, "f64[3,1] | axis=1"),
    sdk::sample(name, "f64[3,0] | axis=1"),
    sdk::sample(name, "f64[0,3] | axis=1"),
    sdk::sample(name, "i64[12]{3,1,2,3,1,2,3,1,2,-1,0,-1}"),
    sdk::sample(name, "i64[12]{3,1,2,3,1,2,3,1,2,-1,0,-1} | descending=true"),
    sdk::sample(name, "i64[4]{9223372036854775807,-1,0,-9223372036854775808}"),
    sdk::sample(name, "i32[4]{2147483647,-1,0,-2147483648} | descending=true"),
    sdk::sample(name, "i8[4]{127,-1,0,-128}"),
    sdk::sample(name, "u8[5]{255,0,128,0,127}"),
    sdk::sample(name, "bool[5]{true,false,true,false,false}"),
    sdk::sample(name, "f32[9]{0.0,nan,-0.0,inf,1e-45,-inf,nan,-1e-45,0.0}"),
    sdk::sample(name, "f32[9]{0.0,nan,-0.0,inf,1e-45,-inf,nan,-1e-45,0.0} | descending=true"),
    sdk::sample(name,
                "f64[6]{1.7976931348623157e308,5e-324,-5e-324,2.2250738585072014e-308,nan,"
                "-1.7976931348623157e308}"),
    sdk::sample(name, "f16[5]{65504.0,6e-8,-65504.0,6.1035e-5,-6e-8}"),
    sdk::sample(name, "bf16[5]{3.39e38,9.2e-41,-3.39e38,1.1755e-38,-9.2e-41}"),
    sdk::refused(name, "f32[2,3] | axis=2", TENON_E_ATTRIBUTE, "axis"),
    sdk::refused(name, "f32[2,3] | descending=1", TENON_E_ATTRIBUTE, "descending"),
    sdk::refused(name, "f32[]", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(sort) = {.ops = ops, .vjps = vjps, .samples = samples};
