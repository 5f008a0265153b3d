// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/take.cc: take, whole slices picked by number along an axis.
//
// y[a, i..., b] = x[a, indices[i...], b], negative indices from the end;  dx gets dy where it came
// from, as rows along axis 0. Source: array-api `take`.
#include "index/picking.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.take";

constexpr std::string_view doc =
    R"(The slices of `x` that `indices` names along `axis`: `y[a, i..., b] = x[a, indices[i...],
b]`. The axis is replaced by the dimensions of `indices`, which may be of any rank. Negative
indices count from the end: of N places -1 is the last and -N the first. An index outside the axis
is refused.

Gradient: for `x` along axis 0 as rows, as in `tenon.embedding`: a leaf keeps them sparse,
elsewhere they are added into zeros. Along other axes, and where the gradient itself is
differentiated, `dy` is added into zeros (`tenon.scatter_add`). `indices` has none.

Source: Python array API standard, `take`; `indices` of any rank as in NumPy.

Canonical arithmetic: none; bits are moved.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::need_index_tensor(args, 1);
  const std::span<const int64_t> x = args.shape(0);
  const auto axis = static_cast<size_t>(rules::axis_of(args.attrs.integer(0), x.size(), "axis"));
  sdk::set_shape(out[0], rules::replaced(x, axis, args.shape(1)).span());
}

void vjp(sdk::Vjp& v) {
  const rules::Dims x(v.in_meta(0));
  const int64_t along = v.attr(0).as.i64;
  const auto axis = static_cast<size_t>(rules::axis_of(along, x.count(), "axis"));
  rules::picked_grad(v, along, rules::from_front(v, v.in(1), x[axis]));
}

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "take(x: T[...], indices: I[...], *, axis: int=0) -> T[...] where I: i32|i64",
     .doc = doc,
     .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(1), .input_metas = sdk::bit(0) | sdk::bit(1)}),
    {},
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name,
                                             .needs = needs,
                                             .vjp = sdk::vjp_fn<vjp>,
                                             .n_attrs = 1,
                                             .non_differentiable = sdk::bit(1)})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[5,3], i64[4]{0,2,4,2}"),
    sdk::sample(name, "f64[3,4], i32[5]{0,3,1,1,0} | axis=1"),
    sdk::sample(name, "f64[2,3,2], i64[2,2]{0,2,1,2} | axis=-2"),
    sdk::sample(name, "f64[2,2,3,2], i64[2]{2,0} | axis=2"),
    sdk::sample(name, "f64[5], i64[2,1,2]{0,1,4,1}"),
    sdk::sample(name, "f64[5,3], i64[6]{-1,4,-5,0,2,-1}"),
    sdk::sample(name, "f64[2,3,2], i32[2,2]{-1,0,2,-3} | axis=1"),
    sdk::sample(name, "f64[4], i64[3]{-4,-1,3}"),
    sdk::sample(name, "f64[2,5], i64[]{-2} | axis=1"),
    sdk::sample(name, "f32[3,2], i32[2]{-1,-3}"),
    sdk::sample(name, "f64[5,3], i64[]{3}"),
    sdk::sample(name, "f64[2,5], i64[]{3} | axis=1"),
    sdk::sample(name, "f64[4], i64[]{3}"),
    sdk::sample(name, "f64[1,1], i64[1]{0}"),
    sdk::sample(name, "f64[5,3], i64[0]"),
    sdk::sample(name, "f64[0,3], i64[0] | axis=0"),
    sdk::sample(name, "f64[0,3], i64[2]{2,0} | axis=1"),
    sdk::sample(name, "f64[4,0], i64[2]{1,3}"),
    sdk::sample(name, "i32[3,2], i64[2]{2,0}"),
    sdk::sample(name, "i64[3]{-9223372036854775808,0,9223372036854775807}, i32[2]{2,0}"),
    sdk::sample(name, "u8[2,3], i32[2]{2,0} | axis=1"),
    sdk::sample(name, "bool[4], i32[3]{3,0,2}"),
    sdk::sample(name, "f32[3,2]{nan,inf,-0.0,3.4028235e38,1e-45,-inf}, i64[3]{2,0,1}"),
    sdk::sample(name,
                "f64[2,2]{1.7976931348623157e308,5e-324,2.2250738585072014e-308,nan}, i64[2]{1,0}"),
    sdk::sample(name, "f16[2,2]{65504.0,6e-8,inf,-0.0}, i32[2]{1,1}"),
    sdk::sample(name, "bf16[3,2]{3.39e38,9.2e-41,nan,inf,-0.0,1.0}, i32[3]{2,1,0}"),
    sdk::refused(name, "f32[5,3], i64[2]{0,5}", TENON_E_DATA, "indices[1] is 5"),
    sdk::refused(name, "f32[5,3], i32[2]{-3,-4} | axis=1", TENON_E_DATA, "indices[1] is -4"),
    sdk::refused(name, "f32[5], i64[1]{-9223372036854775808}", TENON_E_DATA, "indices[0] is -9"),
    sdk::refused(name, "f32[0,3], i64[1]{-1}", TENON_E_DATA, "indices[0] is -1"),
    sdk::refused(name, "f32[5,3], i64[] | axis=2", TENON_E_ATTRIBUTE, "axis"),
    sdk::refused(name, "f32[], i64[2]", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[1,1,1,1,1,1,1,1], i64[1,1]", TENON_E_SHAPE, "more than 8"),
    sdk::refused(name, "f32[5,3], f32[2]", TENON_E_DTYPE, "f32"),
    sdk::refused(name, "f32[5,3], 1", TENON_E_ARGUMENT, "a tensor"),
    sdk::refused(name, "f32[5,3]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(take) = {.ops = ops, .vjps = vjps, .samples = samples};
