// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/squeeze.cc: squeeze, dimensions of size 1 taken out.
//
// y = x without them;  dx = dy in x's shape. Source: array-api `squeeze`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.squeeze";

constexpr std::string_view doc =
    R"(`x` without the dimensions `axes`, which must have size 1; without `axes`, without all
dimensions of size 1. A view: no element moves.

Gradient: `dx` is `dy` in the shape of `x`.

Source: Python array API standard, `squeeze`.

Canonical arithmetic: none; bits are moved.)";

std::array<bool, TENON_MAX_RANK> gone_axes(const sdk::Args& args) {
  const std::span<const int64_t> shape = args.shape(0);
  auto gone = rules::reduced_axes(args.attrs[0], shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!gone[i] || shape[i] == 1) continue;
    if (args.attrs.given(0)) {
      throw sdk::Failure{TENON_E_SHAPE,
                         "axis " + std::to_string(i) + " cannot be taken out: its size is " +
                             std::to_string(shape[i]),
                         "axes", "axes of size 1", sdk::shape_text(shape)};
    }
    gone[i] = false;
  }
  return gone;
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> shape = args.shape(0);
  const auto gone = gone_axes(args);
  rules::Dims result;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!gone[i]) result.push(shape[i]);
  }
  sdk::set_shape(out[0], result.span());
}

void view(const sdk::Args& args, tenon_view_result& out) {
  const tenon_view& x = args.view(0);
  const auto gone = gone_axes(args);
  out.rank = 0;
  for (int32_t i = 0; i < x.rank; ++i) {
    if (gone[static_cast<size_t>(i)]) continue;
    out.shape[out.rank] = x.shape[i];
    out.strides[out.rank++] = x.strides[i];
  }
}

void vjp(sdk::Vjp& v) { v.grad(0, rules::reshape(v, v.dy(), rules::Dims(v.in_meta(0)))); }

constexpr tenon_op_desc ops[] = {sdk::op({.name = name,
                                          .schema = "squeeze(x: T[...], *, axes: int[]?) -> T[...]",
                                          .doc = doc,
                                          .flags = TENON_OP_LINEAR,
                                          .infer = sdk::infer_fn<infer>,
                                          .view = sdk::view_fn<view>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[1,3,1]"),
    sdk::sample(name, "f64[1,3,1] | axes=[0]"),
    sdk::sample(name, "f64[1,3,1] | axes=[-1,0]"),
    sdk::sample(name, "f64[2,1,3,1] | axes=[1]"),
    sdk::sample(name, "f64[2,3]"),
    sdk::sample(name, "f64[2,3] | axes=[]"),
    sdk::sample(name, "f64[]"),
    sdk::sample(name, "f64[1,1,1]"),
    sdk::sample(name, "f64[1,0]"),
    sdk::sample(name, "i64[1,2] | axes=[0]"),
    sdk::sample(name, "f32[6,1]{0.0,-0.0,inf,-inf,nan,1e-45} | axes=[1]"),
    sdk::sample(name, "f64[6,1]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0} | axes=[1]"),
    sdk::sample(name, "f16[6,1]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0} | axes=[1]"),
    sdk::sample(name, "bf16[6,1]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0} | axes=[1]"),
    sdk::sample(name, "i64[6,1]{-9223372036854775808,-1,0,1,2,9223372036854775807} | axes=[1]"),
    sdk::sample(name, "bool[6,1] | axes=[1]"),
    sdk::refused(name, "f32[2,1] | axes=[0]", TENON_E_SHAPE, "cannot be taken out"),
    sdk::refused(name, "f32[1,2] | axes=[2]", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "f32[1,1] | axes=[0,0]", TENON_E_ATTRIBUTE, "twice"),
    sdk::refused(name, "f32[] | axes=[0]", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[1] | axes=0", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(squeeze) = {.ops = ops, .vjps = vjps, .samples = samples};
