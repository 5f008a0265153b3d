// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/flatten.cc: flatten, neighbouring dimensions as one.
//
// y = x with the dimensions start_axis to end_axis merged;  dx = dy in x's shape.
// Source: PyTorch's `flatten`.
#include "shape/reshaping.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.flatten";

constexpr std::string_view doc =
    R"(`x` with the dimensions from `start_axis` to `end_axis`, both included, merged into one; by
default all of them. A tensor without dimensions becomes one of shape [1].

A view where the strides of `x` allow it, else a copy, as with `tenon.reshape`.

Gradient: `dx` is `dy` in the shape of `x`.

Source: PyTorch, `flatten`.

Canonical arithmetic: none; bits are moved.)";

rules::Dims merged(std::span<const int64_t> shape, const sdk::Attrs& attrs) {
  // As PyTorch: without dimensions, axes are those of [1].
  const auto rank = static_cast<int32_t>(std::max<size_t>(shape.size(), 1));
  const int32_t first = sdk::normal_axis(attrs.integer(0), rank, "start_axis");
  const int32_t last = sdk::normal_axis(attrs.integer(1), rank, "end_axis");
  if (first > last) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "start_axis comes after end_axis", "start_axis",
                       "an axis up to " + std::to_string(last), std::to_string(first)};
  }
  rules::Dims target;
  int64_t run = 1;
  for (int32_t i = 0; i < rank; ++i) {
    const int64_t size = shape.empty() ? 1 : shape[static_cast<size_t>(i)];
    const bool inside = i >= first && i <= last;
    run = inside && i > first ? run * size : size;
    if (!inside || i == last) target.push(run);
  }
  return target;
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  sdk::set_shape(out[0], merged(args.shape(0), args.attrs).span());
}

void view(const sdk::Args& args, tenon_view_result& out) {
  const rules::Dims target = merged(args.shape(0), args.attrs);
  out.copy_needed = rules::reshaped_view(args.view(0), target, out) ? 0 : 1;
}

void compose(sdk::Compose& c) {
  const rules::Dims shape(c.meta(c.in(0).tensor()));
  c.set(0, rules::reshape(c, c.in(0), merged(shape.span(), c.attrs)));
}

void vjp(sdk::Vjp& v) { v.grad(0, rules::reshape(v, v.dy(), rules::Dims(v.in_meta(0)))); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "flatten(x: T[...], *, start_axis: int=0, end_axis: int=-1) -> T[...]",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .infer = sdk::infer_fn<infer>,
             .view = sdk::view_fn<view>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 2})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3]"),
    sdk::sample(name, "f64[2,3,2] | start_axis=1"),
    sdk::sample(name, "f64[2,3,2] | end_axis=1"),
    sdk::sample(name, "f64[2,1,3,2] | start_axis=-3, end_axis=-2"),
    sdk::sample(name, "f64[2,1,3,2] | start_axis=2, end_axis=2"),
    sdk::sample(name, "f64[]"),
    sdk::sample(name, "f64[] | start_axis=-1, end_axis=0"),
    sdk::sample(name, "f64[3]"),
    sdk::sample(name, "f64[2,0,3] | start_axis=1"),
    sdk::sample(name, "f32[2,3]{0.0,-0.0,inf,-inf,nan,1e-45}"),
    sdk::sample(name, "f64[2,3]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0}"),
    sdk::sample(name, "f16[2,3]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0}"),
    sdk::sample(name, "bf16[2,3]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0}"),
    sdk::sample(name, "i64[2,3]{-9223372036854775808,-1,0,1,2,9223372036854775807}"),
    sdk::sample(name, "bool[2,3]"),
    sdk::refused(name, "f32[2,3] | start_axis=2", TENON_E_ATTRIBUTE, "start_axis is out of range"),
    sdk::refused(name, "f32[2,3] | end_axis=-3", TENON_E_ATTRIBUTE, "end_axis is out of range"),
    sdk::refused(name, "f32[2,3] | start_axis=1, end_axis=0", TENON_E_ATTRIBUTE,
                 "comes after end_axis"),
    sdk::refused(name, "f32[] | start_axis=1", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "f32[6] | start_axis=0.0", TENON_E_ATTRIBUTE, "start_axis"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(flatten) = {.ops = ops, .vjps = vjps, .samples = samples};
