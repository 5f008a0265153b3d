// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/scatter_add.cc: scatter_add, elements added into lines by number.
//
// y = x;  y[a, indices[a, i, b], b] += src[a, i, b] for i ascending;  dx = dy, dsrc = dy gathered.
// Source: PyTorch's `scatter_add`.
#include "index/along.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.scatter_add";

constexpr std::string_view doc =
    R"(A copy of `x` with `y[a, indices[a, i, b], b] += src[a, i, b]`, where `i` runs along
`axis`. `indices` has the rank of `x` and beside the axis at most its sizes; `src` broadcasts to
the shape of `indices`. Elements for one place are all added. An index outside the axis is
refused, negative ones too.

Gradient: `dx = dy`, `dsrc` is `dy` gathered at the element's place (`tenon.gather`); `indices`
has none.

Source: PyTorch, `scatter_add`.

Canonical arithmetic: each addition is one IEEE 754 operation in T (f16 and bf16 in f32, rounded
once), with `i` ascending; integers wrap.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::need_lines(args, args.attrs.integer(0));
  rules::need_broadcast(args.shape(2), args.shape(1), "src", "indices");
  sdk::set_shape(out[0], args.shape(0));
}

void vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, v.dy());
  if (v.wants(2)) v.grad(2, v.call("tenon.gather", {v.dy(), v.in(1)}, {v.attr(0)}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "scatter_add(x: T[...], indices: I[...], src: T[...], *, axis: int) -> "
                       "T[...] where T: number; I: i32|i64",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {{}, {}, sdk::need({.inputs = sdk::bit(1)})};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name,
                                             .needs = needs,
                                             .vjp = sdk::vjp_fn<vjp>,
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
    sdk::sample(name, "f64[4], i64[3]{0,3,0}, 2.5 | axis=0"),
    sdk::sample(name, "f64[1,1], i64[1,1]{0}, f64[1,1] | axis=0"),
    sdk::sample(name, "f64[2,3], i64[2,0], f64[2,0] | axis=1"),
    sdk::sample(name, "f64[0,3], i64[0,3], f64[0,3] | axis=1"),
    sdk::sample(name, "i32[2,2], i64[2,2]{1,0,0,0}, i32[2,2] | axis=1"),
    sdk::sample(name, "i8[2]{127,-128}, i64[2]{0,1}, i8[2]{1,-1} | axis=0"),
    sdk::sample(name, "u8[3]{0,255,7}, i64[2]{1,0}, u8[2]{255,0} | axis=0"),
    sdk::sample(name, "i64[1]{9223372036854775807}, i64[1]{0}, i64[1]{1} | axis=0"),
    sdk::sample(name, "f16[4](0,1000), i64[5]{3,3,3,0,3}, f16[5] | axis=0"),
    sdk::sample(name, "f32[2]{inf,1e30}, i64[3]{0,1,1}, f32[3]{-inf,-1e30,1e-30} | axis=0"),
    sdk::sample(name,
                "f32[3]{3.4028235e38,nan,-0.0}, i64[4]{0,1,2,2}, "
                "f32[4]{3.4028235e38,1.0,0.0,1e-45} | axis=0"),
    sdk::sample(name,
                "f64[2]{1.7976931348623157e308,5e-324}, i64[2]{0,1}, "
                "f64[2]{-1.7976931348623157e308,-2.2250738585072014e-308} | axis=0"),
    sdk::sample(name, "f16[2]{65504.0,6e-8}, i64[2]{0,1}, f16[2]{16.0,6.1035e-5} | axis=0"),
    sdk::sample(name, "bf16[2]{3.39e38,9.2e-41}, i64[2]{0,1}, bf16[2]{1e36,1.1755e-38} | axis=0"),
    sdk::refused(name, "f32[5], i64[2]{0,5}, f32[2] | axis=0", TENON_E_DATA, "indices[1] is 5"),
    sdk::refused(name, "f32[2,3], i32[2,1]{0,-1}, 1.0 | axis=1", TENON_E_DATA,
                 "indices[1,0] is -1"),
    sdk::refused(name, "f32[2,3], i64[3,1]{0,0,0}, 1.0 | axis=1", TENON_E_SHAPE, "larger than x"),
    sdk::refused(name, "f32[2,3], i64[2]{0,0}, 1.0 | axis=1", TENON_E_SHAPE, "as many dimensions"),
    sdk::refused(name, "f32[2,3], i64[2,1]{0,0}, f32[2,3] | axis=1", TENON_E_SHAPE,
                 "src does not broadcast"),
    sdk::refused(name, "f32[2,3], i64[2,3], f32[2,3] | axis=2", TENON_E_ATTRIBUTE, "axis"),
    sdk::refused(name, "f32[], i64[], f32[] | axis=0", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[5], 1, 1.0 | axis=0", TENON_E_ARGUMENT, "a tensor"),
    sdk::refused(name, "bool[5], i64[2], bool[2] | axis=0", TENON_E_DTYPE, "bool"),
    sdk::refused(name, "f32[5], i64[2], f64[2] | axis=0", TENON_E_DTYPE, "src"),
    sdk::refused(name, "f32[5], i64[2] | axis=0", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(scatter_add) = {.ops = ops, .vjps = vjps, .samples = samples};
