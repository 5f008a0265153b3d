// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/concat.cc: concat, tensors one after another along an axis.
//
// y = [x_0, x_1, ...];  dx_i = the slice of dy that came from x_i. Source: array-api `concat`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.concat";

constexpr std::string_view doc =
    R"(The tensors `xs`, one after another along `axis`. All have the same rank, and the same
sizes but for that axis.

Gradient: each input gets its own slice of `dy`.

Source: Python array API standard, `concat`.

Canonical arithmetic: none; bits are moved.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const uint32_t count = args.count(0);
  if (count == 0) {
    throw sdk::Failure{TENON_E_ARGUMENT, "concat needs at least one tensor", "xs",
                       "one tensor or more", "an empty list"};
  }
  rules::Dims result(args.shape(0, 0));
  const auto axis =
      static_cast<size_t>(rules::axis_of(args.attrs.integer(0), result.count(), "axis", "xs"));
  for (uint32_t item = 1; item < count; ++item) {
    const std::span<const int64_t> shape = args.shape(0, item);
    bool fits = shape.size() == result.count();
    for (size_t i = 0; i < shape.size() && fits; ++i) fits = i == axis || shape[i] == result[i];
    if (!fits) {
      throw sdk::Failure{TENON_E_SHAPE,
                         "tensor " + std::to_string(item) + " differs from tensor 0 beside axis " +
                             std::to_string(axis),
                         "xs", sdk::shape_text(args.shape(0, 0)) + " but for that axis",
                         sdk::shape_text(shape)};
    }
    result[axis] += shape[axis];
  }
  sdk::set_shape(out[0], result.span());
}

void vjp(sdk::Vjp& v) {
  const auto rank = static_cast<size_t>(v.in_meta(0, 0).rank);
  const int32_t axis = rules::axis_of(v.attr(0).as.i64, rank, "axis");
  int64_t start = 0;
  for (uint32_t item = 0; item < v.in_count(0); ++item) {
    const int64_t stop = start + v.in_meta(0, item).shape[axis];
    v.grad(0, v.call("tenon.slice", {v.dy()}, {axis, start, stop}), item);
    start = stop;
  }
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "concat(xs: T[...]*, *, axis: int=0) -> T[...] where T: any promote",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "[f64[2,3], f64[1,3]]"),
    sdk::sample(name, "[f64[2,3], f64[2,1], f64[2,2]] | axis=1"),
    sdk::sample(name, "[f64[3]]"),
    sdk::sample(name, "[f64[0,2], f64[3,2], f64[0,2]]"),
    sdk::sample(name, "[f64[2,1,2], f64[2,3,2]] | axis=-2"),
    sdk::sample(name, "[f64[2,1,1,3], f64[2,1,2,3]] | axis=2"),
    sdk::sample(name, "[f32[2], f64[3]]"),
    sdk::sample(name, "[i32[2], f32[1]]"),
    sdk::sample(name, "[u8[2], i8[3]]"),
    sdk::sample(name, "[bool[1], bool[2]]"),
    sdk::sample(name, "[f64[0], f64[0]]"),
    sdk::sample(name, "[f64[1,1], f64[1,1]] | axis=1"),
    sdk::sample(name, "[f32[6]{0.0,-0.0,inf,-inf,nan,1e-45}, f32[1]]"),
    sdk::sample(name, "[f64[6]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0}, f64[1]]"),
    sdk::sample(name, "[f16[6]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0}, f16[1]]"),
    sdk::sample(name, "[bf16[6]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0}, bf16[1]]"),
    sdk::sample(name, "[i64[6]{-9223372036854775808,-1,0,1,2,9223372036854775807}, i64[1]]"),
    sdk::refused(name, "[]", TENON_E_ARGUMENT, "at least one tensor"),
    sdk::refused(name, "[f32[2,3], f32[2,4]]", TENON_E_SHAPE, "differs from"),
    sdk::refused(name, "[f32[2], f32[2,1]]", TENON_E_SHAPE, "differs from"),
    sdk::refused(name, "[f32[2], f32[2]] | axis=1", TENON_E_ATTRIBUTE, "axis is out of range"),
    sdk::refused(name, "[f32[], f32[]]", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "[f32[2]] | axis=0.0", TENON_E_ATTRIBUTE, "axis"),
};

}  // namespace

TENON_UNIT(concat) = {.ops = ops, .vjps = vjps, .samples = samples};
