// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/slice.cc: slice, every step-th element along one axis.
//
// y = x[..., start:stop:step, ...];  dx = zeros with dy put back in its places.
// Source: Python's slice semantics (CPython `PySlice_AdjustIndices`).
#include "shape/slicing.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.slice";

constexpr std::string_view doc =
    R"(`x[start:stop:step]` along `axis`, as Python slices: negative places count from the end,
places outside are clipped, `none` is an end of the axis, and a negative step walks
backward. A view: no element moves.

Gradient: `dx` is zero but for the sliced places, which get `dy` (`tenon.slice_put`).

Source: Python language reference, slicings; CPython `PySlice_AdjustIndices`.

Canonical arithmetic: none; bits are moved.)";

std::optional<int64_t> place_in(const tenon_value& value) {
  if (value.tag == TENON_VALUE_NONE) return std::nullopt;
  return value.as.i64;
}

struct Cut {
  size_t axis;
  rules::Range range;
};

Cut cut_of(const sdk::Args& args) {
  const std::span<const int64_t> shape = args.shape(0);
  const auto axis =
      static_cast<size_t>(rules::axis_of(args.attrs.integer(0), shape.size(), "axis"));
  return {axis, rules::slice_range(shape[axis], place_in(args.attrs[1]), place_in(args.attrs[2]),
                                   args.attrs.integer(3))};
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const Cut cut = cut_of(args);
  rules::Dims result(args.shape(0));
  result[cut.axis] = cut.range.count;
  sdk::set_shape(out[0], result.span());
}

void view(const sdk::Args& args, tenon_view_result& out) {
  const tenon_view& x = args.view(0);
  const Cut cut = cut_of(args);
  out.rank = x.rank;
  std::copy_n(x.shape, x.rank, out.shape);
  std::copy_n(x.strides, x.rank, out.strides);
  out.shape[cut.axis] = cut.range.count;
  out.strides[cut.axis] *= cut.range.step;
  out.offset = cut.range.start * x.strides[cut.axis];
}

void vjp(sdk::Vjp& v) {
  const rules::Dims shape(v.in_meta(0));
  const int32_t axis = rules::axis_of(v.attr(0).as.i64, shape.count(), "axis");
  const rules::Range range = rules::slice_range(
      shape[static_cast<size_t>(axis)], place_in(v.attr(1)), place_in(v.attr(2)), v.attr(3).as.i64);
  v.grad(0, v.call("tenon.slice_put", {v.dy()}, {shape.value(), axis, range.start, range.step}));
}

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "slice(x: T[...], *, axis: int, start: int?, stop: int?, step: int=1) -> T[...]",
     .doc = doc,
     .flags = TENON_OP_LINEAR,
     .infer = sdk::infer_fn<infer>,
     .view = sdk::view_fn<view>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 4})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[5] | axis=0, start=1, stop=4"),
    sdk::sample(name, "f64[2,6] | axis=1, start=1, step=2"),
    sdk::sample(name, "f64[6] | axis=0, step=-1"),
    sdk::sample(name, "f64[2,6] | axis=-1, start=-2, stop=0, step=-2"),
    sdk::sample(name, "f64[3,4] | axis=0, stop=-1"),
    sdk::sample(name, "f64[2,1,5,2] | axis=2, start=1, step=3"),
    sdk::sample(name, "f64[4] | axis=0, start=3, stop=1"),
    sdk::sample(name, "f64[4] | axis=0, start=-100, stop=100"),
    sdk::sample(name, "f64[4] | axis=0, start=2, step=9223372036854775807"),
    sdk::sample(name, "f64[4] | axis=0, step=-9223372036854775808"),
    sdk::sample(name, "f64[0,2] | axis=0, step=-1"),
    sdk::sample(name, "f64[1] | axis=0"),
    sdk::sample(name, "i64[2,3,4] | axis=1, start=1"),
    sdk::sample(name, "f32[2,3]{0.0,-0.0,inf,-inf,nan,1e-45} | axis=1, start=-1, step=-2"),
    sdk::sample(name,
                "f64[2,3]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0} | axis=1, "
                "start=-1, step=-2"),
    sdk::sample(name, "f16[2,3]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0} | axis=1, start=-1, step=-2"),
    sdk::sample(name,
                "bf16[2,3]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0} | axis=1, start=-1, step=-2"),
    sdk::sample(
        name,
        "i64[2,3]{-9223372036854775808,-1,0,1,2,9223372036854775807} | axis=1, start=-1, step=-2"),
    sdk::sample(name, "bool[2,3] | axis=1, start=-1, step=-2"),
    sdk::refused(name, "f32[4] | axis=0, step=0", TENON_E_ATTRIBUTE, "step is zero"),
    sdk::refused(name, "f32[4] | axis=1", TENON_E_ATTRIBUTE, "axis is out of range"),
    sdk::refused(name, "f32[] | axis=0", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[4]", TENON_E_ATTRIBUTE, "axis"),
    sdk::refused(name, "f32[4] | axis=0, start=1.0", TENON_E_ATTRIBUTE, "start"),
    sdk::refused(name, "| axis=0", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(slice) = {.ops = ops, .vjps = vjps, .samples = samples};
