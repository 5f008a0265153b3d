// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/split.cc: split, one of the pieces of given sizes along an axis.
//
// y = x[..., s_0 + ... + s_(index-1) : s_0 + ... + s_index, ...];  dx = zeros with dy in its place.
// Source: PyTorch's `split`.
#include "shape/pieces.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.split";

constexpr std::string_view doc =
    R"(`x` cut along `axis` into pieces of the given `sizes`, which together are the whole axis: the
piece number `index`, where a negative number counts from the last. A view: no element moves. An op
has a fixed number of outputs, so a list of all pieces is one call for each.

Gradient: `dx` is zero but for the piece, which gets `dy` (`tenon.slice_put`).

Source: PyTorch, `split`, with a list of sizes.

Canonical arithmetic: none; bits are moved.)";

rules::Piece piece_of(std::span<const int64_t> shape, const sdk::Attrs& attrs) {
  const std::span<const int64_t> sizes = attrs.ints(rules::kCut);
  const auto axis =
      static_cast<size_t>(rules::axis_of(attrs.integer(rules::kPieceAxis), shape.size(), "axis"));
  const int64_t index =
      rules::piece_number(attrs.integer(rules::kIndex), static_cast<int64_t>(sizes.size()));
  rules::Piece piece{axis};
  int64_t left = shape[axis];
  for (size_t i = 0; i < sizes.size() && left >= 0; ++i) {
    if (i == static_cast<size_t>(index)) piece = {axis, shape[axis] - left, sizes[i]};
    left = sizes[i] < 0 || sizes[i] > left ? -1 : left - sizes[i];
  }
  if (left == 0) return piece;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "sizes do not add up to the axis", "sizes",
                     "sizes of 0 or more whose sum is " + std::to_string(shape[axis]),
                     sdk::shape_text(sizes)};
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "split(x: T[...], *, sizes: int[], index: int, axis: int=0) -> T[...]",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .infer = sdk::infer_fn<rules::infer_piece<piece_of>>,
             .view = sdk::view_fn<rules::view_piece<piece_of>>})};

constexpr tenon_vjp_desc vjps[] = {rules::piece_vjp<piece_of>(name)};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[6] | sizes=[2,3,1], index=1"),
    sdk::sample(name, "f64[2,5] | sizes=[3,2], index=-1, axis=1"),
    sdk::sample(name, "f64[2,5] | sizes=[3,2], index=0, axis=-1"),
    sdk::sample(name, "f64[2,1,5,2] | sizes=[1,1,3], index=2, axis=2"),
    sdk::sample(name, "f64[4,2] | sizes=[4], index=0"),
    sdk::sample(name, "f64[4] | sizes=[4,0], index=1"),
    sdk::sample(name, "f64[4] | sizes=[0,4], index=1"),
    sdk::sample(name, "f64[0,2] | sizes=[0], index=0"),
    sdk::sample(name,
                "f32[2,4]{0.0,-0.0,inf,-inf,nan,1e-45,1.0,2.0} | sizes=[1,3], index=1, axis=1"),
    sdk::sample(name,
                "f64[6]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0} | sizes=[1,5], "
                "index=1"),
    sdk::sample(name, "f16[6]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0} | sizes=[6], index=0"),
    sdk::sample(name, "bf16[6]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0} | sizes=[6], index=0"),
    sdk::sample(name,
                "i64[6]{-9223372036854775808,-1,0,1,2,9223372036854775807} | sizes=[5,1], index=1"),
    sdk::sample(name, "bool[2,4] | sizes=[1,3], index=1, axis=1"),
    sdk::refused(name, "f32[6] | sizes=[2,3], index=0", TENON_E_ATTRIBUTE, "do not add up"),
    sdk::refused(name, "f32[6] | sizes=[2,5], index=0", TENON_E_ATTRIBUTE, "do not add up"),
    sdk::refused(name, "f32[6] | sizes=[7,-1], index=0", TENON_E_ATTRIBUTE, "do not add up"),
    sdk::refused(name, "f32[6] | sizes=[-1,7], index=0", TENON_E_ATTRIBUTE, "do not add up"),
    sdk::refused(name, "f32[6] | sizes=[2,4], index=2", TENON_E_ATTRIBUTE, "names no piece"),
    sdk::refused(name, "f32[6] | sizes=[2,4], index=-3", TENON_E_ATTRIBUTE, "names no piece"),
    sdk::refused(name, "f32[0] | sizes=[], index=0", TENON_E_ATTRIBUTE, "names no piece"),
    sdk::refused(name, "f32[6] | sizes=[6], index=0, axis=1", TENON_E_ATTRIBUTE,
                 "axis is out of range"),
    sdk::refused(name, "f32[] | sizes=[1], index=0", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[6] | sizes=[6]", TENON_E_ATTRIBUTE, "index"),
    sdk::refused(name, "| sizes=[6], index=0", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(split) = {.ops = ops, .vjps = vjps, .samples = samples};
