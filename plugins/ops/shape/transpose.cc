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
    sdk::sample(name, "f64[2,1,3,2] | axis0=1, axis1=-1"),
    sdk::sample(name, "f64[1,5]"),
    sdk::sample(name, "f64[3] | axis0=0, axis1=-1"),
    sdk::sample(name, "f64[0,3]"),
    sdk::sample(name, "f32[2,3]{0.0,-0.0,inf,-inf,nan,1e-45}"),
    sdk::sample(name, "f64[2,3]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0}"),
    sdk::sample(name, "f16[2,3]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0}"),
    sdk::sample(name, "bf16[2,3]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0}"),
    sdk::sample(name, "i64[2,3]{-9223372036854775808,-1,0,1,2,9223372036854775807}"),
    sdk::sample(name, "bool[2,3]"),
    sdk::refused(name, "f32[3]", TENON_E_ATTRIBUTE, "axis0 is out of range"),
    sdk::refused(name, "f32[2,3] | axis1=2", TENON_E_ATTRIBUTE, "axis1 is out of range"),
    sdk::refused(name, "f32[]", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[2,3] | axis0=0.0", TENON_E_ATTRIBUTE, "axis0"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(transpose) = {.ops = ops, .vjps = vjps, .samples = samples};
