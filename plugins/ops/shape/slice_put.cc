// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/slice_put.cc: slice_put, zeros with a tensor put into a slice of them.
//
// y = 0;  y[..., start + i step, ...] = dy[..., i, ...];  the gradient is the slice.
// Source: the adjoint of slice; JAX pads in the same way (`lax.pad`).
#include <cstdlib>

#include "shape/slicing.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.slice_put";

constexpr std::string_view doc =
    R"(Zeros of the given shape, with `dy` put in at `start`, `start + step`, ... along `axis`. It
is the backward rule of `tenon.slice`: `start` is a place counted from 0, never from the
end.

Gradient: the slice of the output's gradient at those places.

Source: the adjoint of a slice; JAX's `lax.pad` plays this part.

Canonical arithmetic: none; bits are moved, the rest is +0.)";

// All places lie on an axis of `size` elements, which also bounds step, so nothing overflows.
void check_places(int64_t size, const rules::Range& range) {
  if (range.step == 0) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "step is zero", "step", "any integer but 0", "0"};
  }
  const int64_t longest = std::max<int64_t>(size, 1);
  bool inside = range.start >= 0 && range.start <= size && range.count <= size &&
                range.step >= -longest && range.step <= longest;
  if (inside && range.count > 0) {
    inside = range.start < size && (range.count - 1) <= size / std::abs(range.step) &&
             range.last() >= 0 && range.last() < size;
  }
  if (!inside) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "the slice leaves the axis", "start",
                       "places from 0 to " + std::to_string(size - 1),
                       std::to_string(range.count) + " places from " + std::to_string(range.start) +
                           " by " + std::to_string(range.step)};
  }
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const rules::Dims target = rules::checked_shape(args.attrs.ints(0), "shape");
  const std::span<const int64_t> shape = args.shape(0);
  const auto axis =
      static_cast<size_t>(rules::axis_of(args.attrs.integer(1), target.count(), "axis"));
  bool fits = shape.size() == target.count();
  for (size_t i = 0; i < shape.size() && fits; ++i) fits = i == axis || shape[i] == target[i];
  if (!fits) {
    throw sdk::Failure{TENON_E_SHAPE,
                       sdk::shape_text(shape) + " does not fit into " +
                           sdk::shape_text(target.span()) + " along axis " + std::to_string(axis),
                       "dy", "the sizes of shape, but for the axis", sdk::shape_text(shape)};
  }
  check_places(target[axis], {args.attrs.integer(2), args.attrs.integer(3), shape[axis]});
  sdk::set_shape(out[0], target.span());
}

void vjp(sdk::Vjp& v) {
  const tenon_meta meta = v.in_meta(0);
  const int32_t axis = rules::axis_of(v.attr(1).as.i64, rules::shape_of(meta).size(), "axis");
  const rules::Range range{v.attr(2).as.i64, v.attr(3).as.i64, meta.shape[axis]};
  const bool backward = range.step < 0;
  // One past the last place; before the first element there is no number to name it.
  sdk::Value stop = range.start;
  if (range.count > 0) stop = range.last() + (backward ? -1 : 1);
  if (range.count > 0 && backward && range.last() == 0) stop = sdk::Value();
  v.grad(0, v.call("tenon.slice", {v.dy()}, {axis, range.start, stop, range.step}));
}

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "slice_put(dy: T[...], *, shape: int[], axis: int, start: int, step: int) -> T[...]",
     .doc = doc,
     .flags = TENON_OP_LINEAR,
     .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 4})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3] | shape=[5], axis=0, start=1, step=1"),
    sdk::sample(name, "f64[2,3] | shape=[2,6], axis=1, start=1, step=2"),
    sdk::sample(name, "f64[3] | shape=[3], axis=0, start=2, step=-1"),
    sdk::sample(name, "f64[2,2] | shape=[2,4], axis=-1, start=3, step=-2"),
    sdk::sample(name, "f64[2,1,2,2] | shape=[2,1,5,2], axis=2, start=0, step=3"),
    sdk::sample(name, "f64[0] | shape=[4], axis=0, start=0, step=1"),
    sdk::sample(name, "f64[1] | shape=[4], axis=0, start=3, step=1"),
    sdk::sample(name, "f64[0,2] | shape=[0,2], axis=0, start=0, step=1"),
    sdk::sample(name, "i64[2] | shape=[3], axis=0, start=0, step=2"),
    sdk::sample(name,
                "f32[2,3]{0.0,-0.0,inf,-inf,nan,1e-45} | shape=[2,4], axis=1, start=1, step=1"),
    sdk::sample(name,
                "f64[2,3]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0} | shape=[2,4], "
                "axis=1, start=1, step=1"),
    sdk::sample(
        name,
        "f16[2,3]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0} | shape=[2,4], axis=1, start=1, step=1"),
    sdk::sample(name,
                "bf16[2,3]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0} | shape=[2,4], axis=1, "
                "start=1, step=1"),
    sdk::sample(name,
                "i64[2,3]{-9223372036854775808,-1,0,1,2,9223372036854775807} | shape=[2,4], "
                "axis=1, start=1, step=1"),
    sdk::sample(name, "bool[2,3] | shape=[2,4], axis=1, start=1, step=1"),
    sdk::refused(name, "f32[3] | shape=[5], axis=0, start=3, step=1", TENON_E_ATTRIBUTE,
                 "leaves the axis"),
    sdk::refused(name, "f32[3] | shape=[5], axis=0, start=1, step=-1", TENON_E_ATTRIBUTE,
                 "leaves the axis"),
    sdk::refused(name, "f32[3] | shape=[5], axis=0, start=0, step=0", TENON_E_ATTRIBUTE,
                 "step is zero"),
    sdk::refused(name, "f32[3] | shape=[5], axis=1, start=0, step=1", TENON_E_ATTRIBUTE,
                 "axis is out of range"),
    sdk::refused(name, "f32[2,3] | shape=[3,5], axis=1, start=0, step=1", TENON_E_SHAPE,
                 "does not fit into"),
    sdk::refused(name, "f32[2,3] | shape=[6], axis=0, start=0, step=1", TENON_E_SHAPE,
                 "does not fit into"),
    sdk::refused(name, "f32[3] | shape=[-5], axis=0, start=0, step=1", TENON_E_SHAPE,
                 "negative size"),
    sdk::refused(name, "f32[3] | shape=[5], axis=0, start=0", TENON_E_ATTRIBUTE, "step"),
    sdk::refused(name, "| shape=[5], axis=0, start=0, step=1", TENON_E_ARGUMENT,
                 "number of operands"),
};

}  // namespace

TENON_UNIT(slice_put) = {.ops = ops, .vjps = vjps, .samples = samples};
