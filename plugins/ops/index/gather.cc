// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/gather.cc: gather, one element of a line for each index.
//
// y[a, i, b] = x[a, indices[a, i, b], b];  dx = zeros with dy added where it came from.
// Source: PyTorch's `gather`.
#include "index/along.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.gather";

constexpr std::string_view doc =
    R"(`y[a, i, b] = x[a, indices[a, i, b], b]`, where `i` runs along `axis` and `a`, `b` over
the dimensions before and after it. `indices` has the rank of `x` and beside the axis at most
its sizes; the result has the shape of `indices`. An index outside the axis is refused, and a
negative one too but with `from_end`: then it counts from the end. `tenon.take_along_axis`
broadcasts the two operands first, and counts from the end.

Gradient: `dy` is added into zeros at the places it came from (`tenon.scatter_add`); `indices`
has none.

Source: PyTorch, `gather`; Python array API standard, `take_along_axis`.

Canonical arithmetic: none; bits are moved.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::need_lines(args, args.attrs.integer(0));
  sdk::set_shape(out[0], args.shape(1));
}

void vjp(sdk::Vjp& v) {
  const rules::Dims x(v.in_meta(0));
  const auto axis = static_cast<size_t>(rules::axis_of(v.attr(0).as.i64, x.count(), "axis"));
  const bool from_end = v.attr(1).as.i64 != 0;
  const sdk::Value indices = from_end ? rules::from_front(v, v.in(1), x[axis]) : v.in(1);
  v.grad(0, rules::scattered_sum(v, x, indices, v.dy(), v.attr(0)));
}

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "gather(x: T[...], indices: I[...], *, axis: int, from_end: bool=false) -> T[...] "
               "where I: i32|i64",
     .doc = doc,
     .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(1), .input_metas = sdk::bit(0)}),
    {},
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name,
                                             .needs = needs,
                                             .vjp = sdk::vjp_fn<vjp>,
                                             .n_attrs = 2,
                                             .non_differentiable = sdk::bit(1)})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], i64[2,4]{0,2,1,2,1,1,0,2} | axis=1"),
    sdk::sample(name, "f64[3,4], i32[2,4]{0,2,1,2,1,1,0,2} | axis=0"),
    sdk::sample(name, "f64[5], i64[3]{4,0,4} | axis=-1"),
    sdk::sample(name, "f64[2,3,2,2], i64[2,1,2,2]{0,2,1,2,1,1,0,2} | axis=1"),
    sdk::sample(name, "f64[3,2,3], i64[2,3,2]{1,0,1,1,0,0,1,1,0,1,0,0} | axis=-2"),
    sdk::sample(name, "f64[2,3], i64[2,4]{0,-1,1,-3,1,-2,0,2} | axis=1, from_end=true"),
    sdk::sample(name, "f64[3,2], i32[2,2]{-1,0,2,-3} | axis=0, from_end=true"),
    sdk::sample(name, "f64[1,1], i64[1,1]{0} | axis=0"),
    sdk::sample(name, "f64[2,3], i64[2,0] | axis=1"),
    sdk::sample(name, "f64[0,3], i64[0,3] | axis=1"),
    sdk::sample(name, "f64[2,0], i64[2,0] | axis=1"),
    sdk::sample(name, "i32[2,2], i64[2,2]{1,0,0,0} | axis=1"),
    sdk::sample(name, "bool[4], i32[3]{3,0,2} | axis=0"),
    sdk::sample(name, "u8[3]{0,255,7}, i64[2]{1,0} | axis=0"),
    sdk::sample(name, "i64[2]{-9223372036854775808,9223372036854775807}, i64[2]{1,0} | axis=0"),
    sdk::sample(name,
                "f32[6]{nan,inf,-0.0,3.4028235e38,1e-45,-inf}, i64[7]{5,4,3,2,1,0,0} | axis=0"),
    sdk::sample(name,
                "f64[4]{1.7976931348623157e308,5e-324,2.2250738585072014e-308,nan}, "
                "i64[4]{3,2,1,0} | axis=0"),
    sdk::sample(name, "f16[4]{65504.0,6e-8,inf,-0.0}, i32[2]{1,3} | axis=0"),
    sdk::sample(name, "bf16[3]{3.39e38,9.2e-41,nan}, i32[2]{1,2} | axis=0"),
    sdk::refused(name, "f32[5], i64[2]{0,5} | axis=0", TENON_E_DATA, "indices[1] is 5"),
    sdk::refused(name, "f32[2,3], i32[2,1]{0,-1} | axis=1", TENON_E_DATA, "indices[1,0] is -1"),
    sdk::refused(name, "f32[2,3], i32[2,1]{0,-4} | axis=1, from_end=true", TENON_E_DATA,
                 "indices[1,0] is -4"),
    sdk::refused(name, "f32[0], i64[1]{0} | axis=0", TENON_E_DATA, "indices[0] is 0"),
    sdk::refused(name, "f32[2,3], i64[3,1]{0,0,0} | axis=1", TENON_E_SHAPE, "larger than x"),
    sdk::refused(name, "f32[2,3], i64[2]{0,0} | axis=1", TENON_E_SHAPE, "as many dimensions"),
    sdk::refused(name, "f32[2,3], i64[2,3] | axis=2", TENON_E_ATTRIBUTE, "axis"),
    sdk::refused(name, "f32[2,3], i64[2,3]", TENON_E_ATTRIBUTE, "axis"),
    sdk::refused(name, "f32[], i64[] | axis=0", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[5], 1 | axis=0", TENON_E_ARGUMENT, "a tensor"),
    sdk::refused(name, "f32[5], f32[2] | axis=0", TENON_E_DTYPE, "f32"),
    sdk::refused(name, "f32[5] | axis=0", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(gather) = {.ops = ops, .vjps = vjps, .samples = samples};
