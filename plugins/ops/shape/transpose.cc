// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/transpose.cc: transpose, two dimensions change places.
//
// y[..., j, ..., i, ...] = x[..., i, ..., j, ...]; dx is dy transposed again.
// Source: PyTorch's `transpose`.
#include <algorithm>
#include <utility>

#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.transpose";

constexpr std::string_view doc =
    R"(Dimensions `axis0` and `axis1` of `x` change places; by default the last two. A view: no
element moves.

Gradient: `dx` is `dy`, transposed again.

Source: PyTorch, `transpose`; with the default axes the array API standard's
`matrix_transpose`.

Canonical arithmetic: none; bits are moved.)";

std::pair<size_t, size_t> axes_of(const sdk::Args& args) {
  const size_t rank = args.shape(0).size();
  return {static_cast<size_t>(rules::axis_of(args.attrs.integer(0), rank, "axis0")),
          static_cast<size_t>(rules::axis_of(args.attrs.integer(1), rank, "axis1"))};
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::Dims result(args.shape(0));
  const auto [first, second] = axes_of(args);
  std::swap(result[first], result[second]);
  sdk::set_shape(out[0], result.span());
}

void view(const sdk::Args& args, tenon_view_result& out) {
  const tenon_view& x = args.view(0);
  const auto [first, second] = axes_of(args);
  out.rank = x.rank;
  std::copy_n(x.shape, x.rank, out.shape);
  std::copy_n(x.strides, x.rank, out.strides);
  std::swap(out.shape[first], out.shape[second]);
  std::swap(out.strides[first], out.strides[second]);
}

void vjp(sdk::Vjp& v) { v.grad(0, v.call(name, {v.dy()}, {v.attr(0), v.attr(1)})); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "transpose(x: T[...], *, axis0: int=-2, axis1: int=-1) -> T[...]",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .infer = sdk::infer_fn<infer>,
             .view = sdk::view_fn<view>})};

constexpr tenon_vjp_need needs[1] = {};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 2})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3]"),
    sdk::sample(name, "f64[2,3,4]"),
    sdk::sample(name, "f64[2,3,4] | axis0=0, axis1=2"),
    sdk::sample(name, "f64[2,3,4] | axis0=1, axis1=1"),
    sdk::sample(name, "f64[1,5]"),
    sdk::sample(name, "f64[3] | axis0=0, axis1=-1"),
    sdk::sample(name, "f64[0,3]"),
    sdk::sample(name, "bool[2,3]"),
    sdk::refused(name, "f32[3]", TENON_E_ATTRIBUTE, "axis0 is out of range"),
    sdk::refused(name, "f32[2,3] | axis1=2", TENON_E_ATTRIBUTE, "axis1 is out of range"),
    sdk::refused(name, "f32[]", TENON_E_SHAPE, "no dimensions"),
};

}  // namespace

TENON_UNIT(transpose) = {.ops = ops, .vjps = vjps, .samples = samples};
