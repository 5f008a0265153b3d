// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/flip.cc: flip, dimensions walked backward.
//
// y[..., i, ...] = x[..., n - 1 - i, ...] along each of the axes;  dx is dy flipped again.
// Source: array-api `flip`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.flip";

constexpr std::string_view doc =
    R"(The elements of `x` in reverse order along each of `axes` (none: along all of them; an
empty list: along none). A view with negative strides: no element moves.

Gradient: `dx` is `dy`, flipped again.

Source: Python array API standard, `flip`.

Canonical arithmetic: none; bits are moved.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::reduced_axes(args.attrs[0], args.shape(0).size());
  sdk::set_shape(out[0], args.shape(0));
}

void view(const sdk::Args& args, tenon_view_result& out) {
  const tenon_view& x = args.view(0);
  const bool empty = sdk::count_of(args.shape(0)) == 0;
  const auto flipped = rules::reduced_axes(args.attrs[0], args.shape(0).size());
  out.rank = x.rank;
  for (int32_t i = 0; i < x.rank; ++i) {
    const bool turned = flipped[static_cast<size_t>(i)] && x.shape[i] > 1;
    out.shape[i] = x.shape[i];
    out.strides[i] = turned ? -x.strides[i] : x.strides[i];
    if (turned && !empty) out.offset += (x.shape[i] - 1) * x.strides[i];
  }
}

void vjp(sdk::Vjp& v) { v.grad(0, v.call(name, {v.dy()}, {v.attr(0)})); }

constexpr tenon_op_desc ops[] = {sdk::op({.name = name,
                                          .schema = "flip(x: T[...], *, axes: int[]?) -> T[...]",
                                          .doc = doc,
                                          .flags = TENON_OP_LINEAR,
                                          .infer = sdk::infer_fn<infer>,
                                          .view = sdk::view_fn<view>})};

constexpr tenon_vjp_need needs[1] = {};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[5]"),
    sdk::sample(name, "f64[2,3]"),
    sdk::sample(name, "f64[2,3] | axes=[1]"),
    sdk::sample(name, "f64[2,3,2] | axes=[-1,0]"),
    sdk::sample(name, "f64[2,1,3,2] | axes=[2]"),
    sdk::sample(name, "f64[2,3] | axes=[]"),
    sdk::sample(name, "f64[]"),
    sdk::sample(name, "f64[1,1]"),
    sdk::sample(name, "f64[2,0,3]"),
    sdk::sample(name, "f32[2,3]{0.0,-0.0,inf,-inf,nan,1e-45}"),
    sdk::sample(name, "f64[2,3]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0}"),
    sdk::sample(name, "f16[2,3]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0}"),
    sdk::sample(name, "bf16[2,3]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0}"),
    sdk::sample(name, "i64[2,3]{-9223372036854775808,-1,0,1,2,9223372036854775807}"),
    sdk::sample(name, "bool[2,3]"),
    sdk::refused(name, "f32[2,3] | axes=[2]", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "f32[2,3] | axes=[0,-2]", TENON_E_ATTRIBUTE, "twice"),
    sdk::refused(name, "f32[] | axes=[0]", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[2] | axes=0", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(flip) = {.ops = ops, .vjps = vjps, .samples = samples};
