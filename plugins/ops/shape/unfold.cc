// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/unfold.cc: unfold, windows that slide along an axis.
//
// y[..., i, ..., j] = x[..., i step + j, ...];  dx = the windows of dy added up at their places.
// Source: PyTorch's `Tensor.unfold`.
#include <algorithm>

#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.unfold";

constexpr std::string_view doc =
    R"(The windows of `size` elements along `axis` that begin at 0, `step`, 2 `step`, ... and lie
whole within `x`: `axis` then counts the windows, and a new last dimension of `size` holds their
elements. A view: no element moves, and windows that overlap share memory, so that the result
cannot be written in place.

Gradient: `dx` is the windows of `dy`, added up at their places (`tenon.unfold_add`).

Source: PyTorch, `Tensor.unfold`.

Canonical arithmetic: none; bits are repeated.)";

struct Windows {
  size_t axis;
  int64_t size, step, count;
};

Windows windows_of(const sdk::Args& args) {
  const std::span<const int64_t> shape = args.shape(0);
  const auto axis =
      static_cast<size_t>(rules::axis_of(args.attrs.integer(0), shape.size(), "axis"));
  const int64_t size = args.attrs.integer(1);
  const int64_t step = args.attrs.integer(2);
  if (size < 0 || size > shape[axis]) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "size does not fit the axis", "size",
                       "0 to " + std::to_string(shape[axis]) + " elements", std::to_string(size)};
  }
  if (step < 1) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "step is not positive", "step", "1 or more",
                       std::to_string(step)};
  }
  return {axis, size, step, (shape[axis] - size) / step + 1};
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const Windows windows = windows_of(args);
  rules::Dims result(args.shape(0));
  result[windows.axis] = windows.count;
  result.push(windows.size);
  sdk::set_shape(out[0], result.span());
}

void view(const sdk::Args& args, tenon_view_result& out) {
  const tenon_view& x = args.view(0);
  const Windows windows = windows_of(args);
  out.rank = x.rank + 1;
  std::copy_n(x.shape, x.rank, out.shape);
  std::copy_n(x.strides, x.rank, out.strides);
  out.shape[windows.axis] = windows.count;
  out.shape[x.rank] = windows.size;
  out.strides[x.rank] = x.strides[windows.axis];
  // With one window the step may be any number.
  if (windows.count > 1) out.strides[windows.axis] *= windows.step;
}

void vjp(sdk::Vjp& v) {
  const rules::Dims shape(v.in_meta(0));
  const int32_t axis = rules::axis_of(v.attr(0).as.i64, shape.count(), "axis");
  const int64_t length = shape[static_cast<size_t>(axis)];
  v.grad(0, v.call("tenon.unfold_add", {v.dy()}, {axis, length, v.attr(2)}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "unfold(x: T[...], *, axis: int, size: int, step: int=1) -> T[...]",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .infer = sdk::infer_fn<infer>,
             .view = sdk::view_fn<view>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 3})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[5] | axis=0, size=3"),
    sdk::sample(name, "f64[2,6] | axis=1, size=2, step=2"),
    sdk::sample(name, "f64[7] | axis=0, size=2, step=3"),
    sdk::sample(name, "f64[2,5,2] | axis=-2, size=3, step=2"),
    sdk::sample(name, "f64[2,1,5,2] | axis=2, size=4"),
    sdk::sample(name, "f64[3,2] | axis=0, size=3, step=9223372036854775807"),
    sdk::sample(name, "f64[4] | axis=0, size=4"),
    sdk::sample(name, "f64[1] | axis=0, size=1"),
    sdk::sample(name, "f64[4] | axis=0, size=0, step=2"),
    sdk::sample(name, "f64[0,2] | axis=0, size=0"),
    sdk::sample(name, "f64[0,2] | axis=1, size=2"),
    sdk::sample(name, "f32[6]{0.0,-0.0,inf,-inf,nan,1e-45} | axis=0, size=2, step=2"),
    sdk::sample(name,
                "f64[6]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0} | axis=0, size=2, "
                "step=2"),
    sdk::sample(name, "f16[6]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0} | axis=0, size=2, step=2"),
    sdk::sample(name, "bf16[6]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0} | axis=0, size=2, step=2"),
    sdk::sample(name, "i64[6]{-9223372036854775808,-1,0,1,2,9223372036854775807} | axis=0, size=3"),
    sdk::sample(name, "bool[6] | axis=0, size=2"),
    sdk::refused(name, "f32[4] | axis=0, size=5", TENON_E_ATTRIBUTE, "does not fit"),
    sdk::refused(name, "f32[4] | axis=0, size=-1", TENON_E_ATTRIBUTE, "does not fit"),
    sdk::refused(name, "f32[4] | axis=0, size=2, step=0", TENON_E_ATTRIBUTE, "not positive"),
    sdk::refused(name, "f32[4] | axis=1, size=2", TENON_E_ATTRIBUTE, "axis is out of range"),
    sdk::refused(name, "f32[] | axis=0, size=1", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[2,1,1,1,1,1,1,1] | axis=0, size=1", TENON_E_SHAPE,
                 "more than 8 dimensions"),
    sdk::refused(name, "f32[4] | axis=0", TENON_E_ATTRIBUTE, "size"),
    sdk::refused(name, "| axis=0, size=1", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(unfold) = {.ops = ops, .vjps = vjps, .samples = samples};
