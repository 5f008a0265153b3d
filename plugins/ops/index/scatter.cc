// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/scatter.cc: scatter, elements put into lines by number.
//
// y = x;  y[a, indices[a, i, b], b] = src[a, i, b] for i ascending.
// dx = dy, 0 if it was written over;  dsrc = dy at its place, 0 if another came later.
// Source: PyTorch's `scatter`.
#include "index/along.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.scatter";

constexpr std::string_view doc =
    R"(A copy of `x` in which `y[a, indices[a, i, b], b] = src[a, i, b]`, where `i` runs along
`axis`. `indices` has the rank of `x` and beside the axis at most its sizes; `src` broadcasts to
the shape of `indices`, and may be a number. Of several elements for one place the last one,
with the largest `i`, stays. An index outside the axis is refused, negative ones too.

The aux output `last` is true for the elements of `src` that stay.

Gradient: `dx` is `dy` with zeros where it was written over; `dsrc` is `dy` at the element's
place, and 0 for elements that did not stay (PyTorch gives `dy` to all of them); `indices` has
none.

Source: PyTorch, `scatter`, which leaves open which element stays.

Canonical arithmetic: none; bits are moved.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::need_lines(args, args.attrs.integer(0));
  rules::need_broadcast(args.shape(2), args.shape(1), "src", "indices");
  sdk::set_shape(out[0], args.shape(0));
  sdk::set_shape(out[1], args.shape(1));
}

void vjp(sdk::Vjp& v) {
  const sdk::Value axis = v.attr(0);
  if (v.wants(0)) v.grad(0, v.call(name, {v.dy(), v.in(1), 0}, {axis}));
  if (!v.wants(2)) return;
  tenon_tensor* at_place = v.call("tenon.gather", {v.dy(), v.in(1)}, {axis});
  v.grad(2, v.call("tenon.where", {v.out(1), at_place, 0}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "scatter(x: T[...], indices: I[...I], src: T[...], *, axis: int) -> "
                       "(T[...], aux last: bool[...I]) where I: i32|i64",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(1)}),
    {},
    sdk::need({.inputs = sdk::bit(1), .outputs = sdk::bit(1)}),
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name,
                                             .needs = needs,
                                             .vjp = sdk::vjp_fn<vjp>,
                                             .n_outputs = 2,
                                             .n_attrs = 1,
                                             .non_differentiable = sdk::bit(1)})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], i64[2,4]{0,2,1,2,1,1,0,2}, f64[2,4] | axis=1"),
    sdk::sample(name, "f64[3,4], i32[2,4]{0,2,1,2,0,1,0,2}, f64[2,4] | axis=0"),
    sdk::sample(name, "f64[5], i64[3]{4,0,4}, f64[3] | axis=-1"),
    sdk::sample(name, "f64[2,3,2,2], i64[2,1,2,2]{0,2,1,2,1,1,0,2}, f64[2,1,2,2] | axis=1"),
    sdk::sample(name, "f64[3,2,3], i64[2,3,2]{1,0,1,1,0,0,1,1,0,1,0,0}, f64[2,3,2] | axis=-2"),
    sdk::sample(name, "f64[2,3], i64[2,2]{0,2,1,1}, f64[2,1] | axis=1"),
    sdk::sample(name, "f64[2,3], i64[2,2]{0,2,1,1}, f64[] | axis=1"),
    sdk::sample(name, "f64[4], i64[2]{0,3}, 2.5 | axis=0"),
    sdk::sample(name, "f64[1,1], i64[1,1]{0}, f64[1,1] | axis=0"),
    sdk::sample(name, "f64[2,3], i64[2,0], f64[2,0] | axis=1"),
    sdk::sample(name, "f64[0,3], i64[0,3], f64[0,3] | axis=1"),
    sdk::sample(name, "i32[2,2], i64[2,2]{1,0,0,0}, i32[2,2] | axis=1"),
    sdk::sample(name, "i64[3], i64[2]{1,1}, 7 | axis=0"),
    sdk::sample(name, "bool[4], i32[3]{3,0,2}, bool[3] | axis=0"),
    sdk::sample(name, "u8[3]{0,255,7}, i64[2]{1,0}, u8[2]{255,0} | axis=0"),
    sdk::sample(name,
                "f32[6]{nan,inf,-0.0,3.4028235e38,1e-45,-inf}, i64[3]{5,0,0}, "
                "f32[3]{-0.0,1.0,nan} | axis=0"),
    sdk::sample(name,
                "f64[3]{1.7976931348623157e308,5e-324,nan}, i64[2]{2,0}, "
                "f64[2]{2.2250738585072014e-308,-5e-324} | axis=0"),
    sdk::sample(name, "f16[2]{65504.0,6e-8}, i32[1]{1}, f16[1]{6.1035e-5} | axis=0"),
    sdk::sample(name, "bf16[2]{3.39e38,9.2e-41}, i32[1]{1}, bf16[1]{1.1755e-38} | axis=0"),
    sdk::refused(name, "f32[5], i64[2]{0,5}, f32[2] | axis=0", TENON_E_DATA, "indices[1] is 5"),
    sdk::refused(name, "f32[2,3], i32[2,1]{0,-1}, 1.0 | axis=1", TENON_E_DATA,
                 "indices[1,0] is -1"),
    sdk::refused(name, "f32[2,3], i64[3,1]{0,0,0}, 1.0 | axis=1", TENON_E_SHAPE, "larger than x"),
    sdk::refused(name, "f32[2,3], i64[2]{0,0}, 1.0 | axis=1", TENON_E_SHAPE, "as many dimensions"),
    sdk::refused(name, "f32[2,3], i64[2,1]{0,0}, f32[2,3] | axis=1", TENON_E_SHAPE,
                 "src does not broadcast"),
    sdk::refused(name, "f32[2,3], i64[2,3], f32[2,3] | axis=2", TENON_E_ATTRIBUTE, "axis"),
    sdk::refused(name, "f32[2,3], i64[2,3], f32[2,3]", TENON_E_ATTRIBUTE, "axis"),
    sdk::refused(name, "f32[], i64[], f32[] | axis=0", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[5], 1, 1.0 | axis=0", TENON_E_ARGUMENT, "a tensor"),
    sdk::refused(name, "f32[5], f32[2], f32[2] | axis=0", TENON_E_DTYPE, "f32"),
    sdk::refused(name, "f32[5], i64[2], f64[2] | axis=0", TENON_E_DTYPE, "src"),
    sdk::refused(name, "f32[5], i64[2] | axis=0", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(scatter) = {.ops = ops, .vjps = vjps, .samples = samples};
