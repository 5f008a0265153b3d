// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/unfold_add.cc: unfold_add, windows added up where they were cut out.
//
// y = 0;  y[..., i step + j, ...] += x[..., i, ..., j];  the gradient is the windows of dy.
// Source: the adjoint of unfold; PyTorch's `unfold_backward`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.unfold_add";

constexpr std::string_view doc =
    R"(Zeros with `length` elements along `axis`, to which the windows in the last dimension of `x`
are added: window `i` begins at `i step`. It is the backward rule of `tenon.unfold`. `axis`, which
counts the windows in `x`, is never the last one.

Gradient: the windows of the output's gradient.

Source: the adjoint of PyTorch's `Tensor.unfold`.

Canonical arithmetic: for each element from 0, window after window in order, in f32 for f16, bf16
and f32, in f64 for f64; rounded once at the end. Integers wrap.)";

enum Attribute : uint32_t { kAxis, kLength, kStep, kAttributes };

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> shape = args.shape(0);
  if (shape.size() < 2) {
    throw sdk::Failure{TENON_E_SHAPE, "x must have windows in its last dimension", "x",
                       "at least two dimensions", sdk::shape_text(shape)};
  }
  const int64_t size = shape.back();
  const std::span<const int64_t> places = shape.first(shape.size() - 1);
  const auto axis =
      static_cast<size_t>(rules::axis_of(args.attrs.integer(kAxis), places.size(), "axis"));
  const int64_t length = args.attrs.integer(kLength);
  const int64_t step = args.attrs.integer(kStep);
  if (step < 1) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "step is not positive", "step", "1 or more",
                       std::to_string(step)};
  }
  rules::Dims result(places);
  const int64_t count = places[axis];
  result[axis] = length;
  result = rules::checked_shape(result.span(), "length");
  if (size > length || (count > 1 && count - 1 > (length - size) / step)) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "the windows leave the axis", "length",
                       "room for " + std::to_string(count) + " windows of " + std::to_string(size) +
                           " by " + std::to_string(step),
                       std::to_string(length)};
  }
  sdk::set_shape(out[0], result.span());
}

void vjp(sdk::Vjp& v) {
  const rules::Dims shape(v.in_meta(0));
  const int64_t size = shape[shape.count() - 1];
  const int32_t axis = rules::axis_of(v.attr(kAxis).as.i64, shape.count() - 1, "axis");
  tenon_tensor* windows = v.call("tenon.unfold", {v.dy()}, {axis, size, v.attr(kStep)});
  // There may be room for more windows than there were.
  const int64_t count = shape[static_cast<size_t>(axis)];
  if (v.meta(windows).shape[axis] != count) {
    windows = v.call("tenon.slice", {windows}, {axis, 0, count});
  }
  v.grad(0, windows);
}

constexpr tenon_op_desc ops[] = {sdk::op({.name = name,
                                          .schema = "unfold_add(x: T[...], *, axis: int, length: "
                                                    "int, step: int=1) -> T[...] where T: number",
                                          .doc = doc,
                                          .flags = TENON_OP_LINEAR,
                                          .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = kAttributes})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3,3] | axis=0, length=5"),
    sdk::sample(name, "f64[2,3,2] | axis=1, length=6, step=2"),
    sdk::sample(name, "f64[2,2] | axis=0, length=7, step=3"),
    sdk::sample(name, "f64[2,2,2,3] | axis=-2, length=5, step=2"),
    sdk::sample(name, "f64[1,3] | axis=0, length=3, step=9223372036854775807"),
    sdk::sample(name, "f64[4,1] | axis=0, length=4"),
    sdk::sample(name, "f64[3,2,2] | axis=0, length=4"),
    sdk::sample(name, "f64[2,2] | axis=0, length=9"),
    sdk::sample(name, "f64[3,0] | axis=0, length=4"),
    sdk::sample(name, "f64[0,2] | axis=0, length=4"),
    sdk::sample(name, "f64[0,2,2] | axis=1, length=3"),
    sdk::sample(name, "f32[5,4](0,1) | axis=0, length=8"),
    sdk::sample(name, "f32[3,2]{inf,-inf,1.0,nan,-0.0,-0.0} | axis=0, length=4"),
    sdk::sample(name, "f32[2,2]{3.4028235e38,3.4028235e38,1e-45,-0.0} | axis=0, length=3"),
    sdk::sample(name, "f64[2,2]{1.7976931348623157e308,5e-324,5e-324,2.3e-308} | axis=0, length=3"),
    sdk::sample(name,
                "f16[3,3]{1.0,1.0,60000.0,1.0,60000.0,1.0,-60000.0,1.0,6e-8} | axis=0, "
                "length=5"),
    sdk::sample(name, "bf16[2,2]{3.39e38,3.39e38,-3.39e38,9.2e-41} | axis=0, length=3"),
    sdk::sample(name, "i64[2,2]{9223372036854775807,9223372036854775807,1,0} | axis=0, length=3"),
    sdk::sample(name, "u8[2,2]{255,255,1,7} | axis=0, length=3"),
    sdk::refused(name, "f32[3,3] | axis=0, length=4", TENON_E_ATTRIBUTE, "leave the axis"),
    sdk::refused(name, "f32[0,3] | axis=0, length=2", TENON_E_ATTRIBUTE, "leave the axis"),
    sdk::refused(name, "f32[3,3] | axis=1, length=5", TENON_E_ATTRIBUTE, "axis is out of range"),
    sdk::refused(name, "f32[3,3] | axis=0, length=5, step=0", TENON_E_ATTRIBUTE, "not positive"),
    sdk::refused(name, "f32[3] | axis=0, length=5", TENON_E_SHAPE, "in its last dimension"),
    sdk::refused(name, "f32[3,3] | axis=0, length=-5", TENON_E_SHAPE, "negative size"),
    sdk::refused(name, "bool[3,3] | axis=0, length=5", TENON_E_DTYPE, "bool"),
    sdk::refused(name, "f32[3,3] | axis=0", TENON_E_ATTRIBUTE, "length"),
    sdk::refused(name, "| axis=0, length=5", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "Additions in another order round differently, by as much as the largest partial sums.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {1, 4e-06}, .f64 = {1, 1e-14}});

}  // namespace

TENON_UNIT(unfold_add) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
