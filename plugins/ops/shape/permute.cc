// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/permute.cc: permute, the dimensions in another order.
//
// y[i_axes[0], i_axes[1], ...] = x[i_0, i_1, ...]; dx is dy permuted back.
// Source: array-api `permute_dims`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.permute";

constexpr std::string_view doc =
    R"(The dimensions of `x` in the order of `axes`: dimension `d` of the result is dimension
`axes[d]` of `x`. A view: no element moves.

Gradient: `dx` is `dy` with the dimensions put back.

Source: Python array API standard, `permute_dims`.

Canonical arithmetic: none; bits are moved.)";

// The axes, counted from 0.
rules::Dims order_of(const sdk::Args& args) {
  const size_t rank = args.shape(0).size();
  const std::span<const int64_t> axes = args.attrs.ints(0);
  std::array<bool, TENON_MAX_RANK> seen{};
  rules::Dims order;
  bool once = axes.size() == rank;
  for (size_t i = 0; i < axes.size() && once; ++i) {
    const auto axis = static_cast<size_t>(rules::axis_of(axes[i], rank, "axes"));
    once = !seen[axis];
    seen[axis] = true;
    order.push(static_cast<int64_t>(axis));
  }
  if (!once) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "axes must name each axis once", "axes",
                       std::to_string(rank) + " different axes", sdk::shape_text(axes)};
  }
  return order;
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const rules::Dims order = order_of(args);
  rules::Dims result;
  for (const int64_t axis : order.span()) result.push(args.view(0).shape[axis]);
  sdk::set_shape(out[0], result.span());
}

void view(const sdk::Args& args, tenon_view_result& out) {
  const tenon_view& x = args.view(0);
  const rules::Dims order = order_of(args);
  out.rank = x.rank;
  for (size_t i = 0; i < order.count(); ++i) {
    out.shape[i] = x.shape[order[i]];
    out.strides[i] = x.strides[order[i]];
  }
}

void vjp(sdk::Vjp& v) {
  const sdk::Value axes = v.attr(0);
  rules::Dims back;
  for (uint32_t i = 0; i < axes.count; ++i) back.push(0);
  for (uint32_t i = 0; i < axes.count; ++i) {
    back[static_cast<size_t>(rules::axis_of(axes.as.ints[i], axes.count, "axes"))] = i;
  }
  v.grad(0, v.call(name, {v.dy()}, {back.value()}));
}

constexpr tenon_op_desc ops[] = {sdk::op({.name = name,
                                          .schema = "permute(x: T[...], *, axes: int[]) -> T[...]",
                                          .doc = doc,
                                          .flags = TENON_OP_LINEAR,
                                          .infer = sdk::infer_fn<infer>,
                                          .view = sdk::view_fn<view>})};

constexpr tenon_vjp_need needs[1] = {};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3] | axes=[1,0]"),
    sdk::sample(name, "f64[2,3,4] | axes=[2,0,1]"),
    sdk::sample(name, "f64[2,3,4] | axes=[-1,0,1]"),
    sdk::sample(name, "f64[2,3] | axes=[0,1]"),
    sdk::sample(name, "f64[] | axes=[]"),
    sdk::sample(name, "f64[1,4,1] | axes=[2,1,0]"),
    sdk::sample(name, "f64[0,3] | axes=[1,0]"),
    sdk::sample(name, "f64[2,3,1,2] | axes=[3,1,0,2]"),
    sdk::sample(name, "i8[2,3,1,2] | axes=[3,1,0,2]"),
    sdk::sample(name, "f32[2,3]{0.0,-0.0,inf,-inf,nan,1e-45} | axes=[1,0]"),
    sdk::sample(name,
                "f64[2,3]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0} | axes=[1,0]"),
    sdk::sample(name, "f16[2,3]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0} | axes=[1,0]"),
    sdk::sample(name, "bf16[2,3]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0} | axes=[1,0]"),
    sdk::sample(name, "i64[2,3]{-9223372036854775808,-1,0,1,2,9223372036854775807} | axes=[1,0]"),
    sdk::sample(name, "bool[2,3] | axes=[1,0]"),
    sdk::refused(name, "f32[2,3] | axes=[0]", TENON_E_ATTRIBUTE, "each axis once"),
    sdk::refused(name, "f32[2,3] | axes=[0,0]", TENON_E_ATTRIBUTE, "each axis once"),
    sdk::refused(name, "f32[2,3] | axes=[0,2]", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "f32[2,3]", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "| axes=[]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(permute) = {.ops = ops, .vjps = vjps, .samples = samples};
