// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/chunk.cc: chunk, one of a number of pieces of one size along an axis.
//
// y = x[..., index s : (index + 1) s, ...] with s = ceil(n / chunks);  dx = zeros with dy in its
// place. Source: PyTorch's `chunk`.
#include "shape/pieces.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.chunk";

constexpr std::string_view doc =
    R"(`x` cut along `axis` into `chunks` pieces of one size, `ceil(n / chunks)`, of which the last
ones may be smaller or empty: the piece number `index`, where a negative number counts from the
last. A view: no element moves. An op has a fixed number of outputs, so a list of all pieces is one
call for each.

Gradient: `dx` is zero but for the piece, which gets `dy` (`tenon.slice_put`).

Source: PyTorch, `chunk`, which leaves out the pieces that are empty.

Canonical arithmetic: none; bits are moved.)";

rules::Piece piece_of(std::span<const int64_t> shape, const sdk::Attrs& attrs) {
  const int64_t chunks = attrs.integer(rules::kCut);
  if (chunks < 1) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "chunks is not positive", "chunks", "1 or more",
                       std::to_string(chunks)};
  }
  const auto axis =
      static_cast<size_t>(rules::axis_of(attrs.integer(rules::kPieceAxis), shape.size(), "axis"));
  const int64_t index = rules::piece_number(attrs.integer(rules::kIndex), chunks);
  const int64_t length = shape[axis];
  const int64_t size = length / chunks + (length % chunks != 0 ? 1 : 0);
  // How many pieces have an element; index * size may overflow for the others.
  const int64_t filled = size == 0 ? 0 : (length - 1) / size + 1;
  if (index >= filled) return {axis, length, 0};
  return {axis, index * size, std::min(size, length - index * size)};
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "chunk(x: T[...], *, chunks: int, index: int, axis: int=0) -> T[...]",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .infer = sdk::infer_fn<rules::infer_piece<piece_of>>,
             .view = sdk::view_fn<rules::view_piece<piece_of>>})};

constexpr tenon_vjp_desc vjps[] = {rules::piece_vjp<piece_of>(name)};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[6] | chunks=3, index=1"),
    sdk::sample(name, "f64[7] | chunks=3, index=-1"),
    sdk::sample(name, "f64[2,5] | chunks=2, index=0, axis=1"),
    sdk::sample(name, "f64[2,1,5,2] | chunks=3, index=1, axis=-2"),
    sdk::sample(name, "f64[5] | chunks=4, index=3"),
    sdk::sample(name, "f64[5] | chunks=9223372036854775807, index=9223372036854775806"),
    sdk::sample(name, "f64[5,2] | chunks=1, index=0"),
    sdk::sample(name, "f64[0,2] | chunks=2, index=1"),
    sdk::sample(name, "f32[2,4]{0.0,-0.0,inf,-inf,nan,1e-45,1.0,2.0} | chunks=2, index=0, axis=1"),
    sdk::sample(name,
                "f64[6]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0} | chunks=2, index=1"),
    sdk::sample(name, "f16[6]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0} | chunks=1, index=0"),
    sdk::sample(name, "bf16[6]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0} | chunks=1, index=0"),
    sdk::sample(name,
                "i64[6]{-9223372036854775808,-1,0,1,2,9223372036854775807} | chunks=2, index=-2"),
    sdk::sample(name, "bool[2,4] | chunks=3, index=1, axis=1"),
    sdk::refused(name, "f32[6] | chunks=0, index=0", TENON_E_ATTRIBUTE, "not positive"),
    sdk::refused(name, "f32[6] | chunks=3, index=3", TENON_E_ATTRIBUTE, "names no piece"),
    sdk::refused(name, "f32[6] | chunks=3, index=-4", TENON_E_ATTRIBUTE, "names no piece"),
    sdk::refused(name, "f32[6] | chunks=3, index=0, axis=1", TENON_E_ATTRIBUTE,
                 "axis is out of range"),
    sdk::refused(name, "f32[] | chunks=1, index=0", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[6] | chunks=3", TENON_E_ATTRIBUTE, "index"),
    sdk::refused(name, "| chunks=3, index=0", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(chunk) = {.ops = ops, .vjps = vjps, .samples = samples};
