// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/sum.cc: sum, the sum over some or all axes.
//
// y = sum over axes of x;  dx = dy, expanded to x's shape. Source: array-api `sum`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.sum";

constexpr std::string_view doc =
    R"(The sum over `axes` (none: all of them; an empty list: no axis, so that the values stay).
`keepdims` leaves each reduced dimension as 1. The sum of nothing is 0. Integers and bools are
summed as i64, modulo 2^64.

Gradient: `dx` is `dy`, expanded back over the reduced axes.

Source: Python array API standard, `sum`; of u8 as in PyTorch, where the standard asks for u64.

Canonical arithmetic: f16, bf16 and f32 accumulate in f32, f64 in f64, one rounding to T at
the end; integers wrap. Dimensions of size 1 do not count. The elements reduced into a result are
lines, in row-major order of the reduced dimensions after the last kept one. A line is cut
into blocks of 16384. In a block, element `i` is added to virtual lane `i mod 64`; lanes
start at 0, and at the end lane `j + 32` is added to lane `j`, then `j + 16`, `j + 8`, `j +
4`, `j + 2`, `j + 1`. Blocks are added pairwise: neighbours, then neighbours of these, an
odd last one carried. The lines of a result (single elements, where the last dimension is
kept) are added one after another in blocks of 256, which start at 0 and are added pairwise
as well.)";

void vjp(sdk::Vjp& v) {
  const rules::Dims shape(v.in_meta(0));
  tenon_tensor* kept = rules::reshape(v, v.dy(), rules::kept_shape(shape.span(), v.attr(0)));
  v.grad(0, rules::expand(v, kept, shape));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "sum(x: T[...], *, axes: int[]?, keepdims: bool=false) -> T[...] where T: "
                       "float|i64 promote",
             .doc = doc,
             .shape = TENON_SHAPE_REDUCE,
             .flags = TENON_OP_LINEAR})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 2})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3]"),
    sdk::sample(name, "f64[2,3,4] | axes=[1]"),
    sdk::sample(name, "f64[2,3,4] | axes=[-1,0], keepdims=true"),
    sdk::sample(name, "f64[2,3,1,4] | axes=[1,3]"),
    sdk::sample(name, "f64[2,3] | axes=[]"),
    sdk::sample(name, "f64[] | axes=[]"),
    sdk::sample(name, "f64[]"),
    sdk::sample(name, "f32[300](0,1)"),
    sdk::sample(name, "f32[70,67](0,1) | axes=[1]"),
    sdk::sample(name, "f64[4,1] | axes=[1], keepdims=true"),
    sdk::sample(name, "f64[0]"),
    sdk::sample(name, "f64[2,0,3] | axes=[1]"),
    sdk::sample(name, "f64[2,0,3] | axes=[0]"),
    sdk::sample(name, "f32[3]{3.4028235e38,1e-45,1.1754944e-38}"),
    sdk::sample(name, "f32[3]{1e-45,1.1754944e-38,1e-45}"),
    sdk::sample(name, "f64[2]{1.7976931348623157e308,5e-324}"),
    sdk::sample(name, "f64[3]{5e-324,2.2250738585072014e-308,5e-324}"),
    sdk::sample(name, "f16[3]{60000.0,60000.0,-60000.0}"),
    sdk::sample(name, "f16[2]{65504.0,16.0}"),
    sdk::sample(name, "bf16[2]{3.39e38,9.2e-41}"),
    sdk::sample(name, "f32[3]{inf,-inf,1.0}"),
    sdk::sample(name, "f32[2,2]{nan,1.0,-inf,1.0} | axes=[1]"),
    sdk::sample(name, "i32[2]{2147483647,1}"),
    sdk::sample(name, "i64[2]{-9223372036854775808,-1}"),
    sdk::sample(name, "u8[2,2]{255,1,128,128} | axes=[1]"),
    sdk::sample(name, "bool[2,3] | axes=[1]"),
    sdk::refused(name, "f32[2,3] | axes=[2]", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2,3] | axes=[-3]", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2,3] | axes=[0,0]", TENON_E_ATTRIBUTE, "twice"),
    sdk::refused(name, "f32[2,3] | axes=1", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2,3] | keepdims=1", TENON_E_ATTRIBUTE, "keepdims"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "Additions in another order round differently, by as much as the largest partial sums.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {1, 4e-06}, .f64 = {1, 1e-14}});

}  // namespace

TENON_UNIT(sum) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
