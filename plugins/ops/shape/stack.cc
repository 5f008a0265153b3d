// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/stack.cc: stack, tensors of one shape along a new axis.
//
// y[..., i, ...] = x_i[..., ...];  dx_i = dy[..., i, ...]. Source: array-api `stack`.
#include <vector>

#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.stack";

constexpr std::string_view doc =
    R"(The tensors `xs`, all of one shape, along a new dimension, which is dimension `axis` of the
result.

Gradient: each input gets its own place of `dy`.

Source: Python array API standard, `stack`.

Canonical arithmetic: none; bits are moved.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const uint32_t count = args.count(0);
  if (count == 0) {
    throw sdk::Failure{TENON_E_ARGUMENT, "stack needs at least one tensor", "xs",
                       "one tensor or more", "an empty list"};
  }
  const rules::Dims shape(args.shape(0, 0));
  const auto axis =
      static_cast<size_t>(rules::axis_of(args.attrs.integer(0), shape.count() + 1, "axis", "xs"));
  for (uint32_t item = 1; item < count; ++item) {
    const std::span<const int64_t> other = args.shape(0, item);
    if (std::equal(other.begin(), other.end(), shape.span().begin(), shape.span().end())) continue;
    throw sdk::Failure{TENON_E_SHAPE,
                       "tensor " + std::to_string(item) + " has another shape than tensor 0", "xs",
                       sdk::shape_text(shape.span()), sdk::shape_text(other)};
  }
  rules::Dims result;
  for (size_t i = 0; i <= shape.count(); ++i) {
    if (i == axis) result.push(count);
    if (i < shape.count()) result.push(shape[i]);
  }
  sdk::set_shape(out[0], result.span());
}

// Each with the new dimension, one after another.
void compose(sdk::Compose& c) {
  const sdk::Value xs = c.in(0);
  const int64_t axis = c.attrs.integer(0);
  std::vector<tenon_tensor*> parts;
  for (uint32_t item = 0; item < xs.count; ++item) {
    parts.push_back(c.call("tenon.unsqueeze", {xs.as.tensors[item]}, {std::span(&axis, 1)}));
  }
  c.set(0, c.call("tenon.concat", {std::span<tenon_tensor* const>(parts)}, {axis}));
}

void vjp(sdk::Vjp& v) {
  const int64_t axis =
      rules::axis_of(v.attr(0).as.i64, rules::Dims(v.in_meta(0)).count() + 1, "axis");
  for (uint32_t item = 0; item < v.in_count(0); ++item) {
    tenon_tensor* part = v.call("tenon.slice", {v.dy()}, {axis, int64_t{item}, int64_t{item} + 1});
    v.grad(0, v.call("tenon.squeeze", {part}, {std::span(&axis, 1)}), item);
  }
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "stack(xs: T[...]*, *, axis: int=0) -> T[...] where T: any promote",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "[f64[2,3], f64[2,3]]"),
    sdk::sample(name, "[f64[2,3], f64[2,3], f64[2,3]] | axis=1"),
    sdk::sample(name, "[f64[2,3], f64[2,3]] | axis=-1"),
    sdk::sample(name, "[f64[3]]"),
    sdk::sample(name, "[f64[], f64[], f64[]]"),
    sdk::sample(name, "[f64[], f64[]] | axis=-1"),
    sdk::sample(name, "[f64[0,2], f64[0,2]] | axis=2"),
    sdk::sample(name, "[f64[2,1,3,2], f64[2,1,3,2]] | axis=2"),
    sdk::sample(name, "[f32[2], f64[2]]"),
    sdk::sample(name, "[i32[2], f32[2]]"),
    sdk::sample(name, "[u8[2], i8[2]]"),
    sdk::sample(name, "[bool[2], bool[2]]"),
    sdk::sample(name, "[f32[6]{0.0,-0.0,inf,-inf,nan,1e-45}, f32[6]]"),
    sdk::sample(name, "[f64[6]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0}, f64[6]]"),
    sdk::sample(name, "[f16[6]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0}, f16[6]]"),
    sdk::sample(name, "[bf16[6]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0}, bf16[6]]"),
    sdk::sample(name, "[i64[6]{-9223372036854775808,-1,0,1,2,9223372036854775807}, i64[6]]"),
    sdk::refused(name, "[]", TENON_E_ARGUMENT, "at least one tensor"),
    sdk::refused(name, "[f32[2,3], f32[3,2]]", TENON_E_SHAPE, "another shape"),
    sdk::refused(name, "[f32[2], f32[2,1]]", TENON_E_SHAPE, "another shape"),
    sdk::refused(name, "[f32[2], f32[2]] | axis=2", TENON_E_ATTRIBUTE, "axis is out of range"),
    sdk::refused(name, "[f32[1,1,1,1,1,1,1,1]]", TENON_E_SHAPE, "8 dimensions"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "[f32[2]] | axis=0.0", TENON_E_ATTRIBUTE, "axis"),
};

}  // namespace

TENON_UNIT(stack) = {.ops = ops, .vjps = vjps, .samples = samples};
