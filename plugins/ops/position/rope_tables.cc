// SPDX-License-Identifier: Apache-2.0
// plugins/ops/position/rope_tables.cc: rope_tables, the cosines and sines that rope rotates by.
//
// angle[p,i] = p scale base^(-2i/dims);  y = (cos angle, sin angle).
// Source: J. Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021.
#include "position/angles.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
namespace position = tenon::position;
constexpr std::string_view name = "tenon.rope_tables";

constexpr std::string_view doc =
    R"(Cosine and sine of `angle[p,i] = p * scale * base^(-2i/dims)` for `positions` positions and
the `dims / 2` pairs of a row of which `dims` elements are rotated: the tables of `tenon.rope`. A
`scale` below 1 is linear position interpolation, which fits longer texts into the angles that a
model was trained with. It is called once for a model.

No gradient: there is no tensor input.

Source: J. Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021; S.
Chen et al., "Extending Context Window of Large Language Models via Positional Interpolation",
2023 (`scale`).

Canonical arithmetic: in f64 for every dtype, each operation rounded: `-2i / dims`, the power as in
`tenon.pow`, `p * scale`, their product, cosine and sine; rounded to D at the end. An angle is off
by its last digit in f64: tables that are computed in f32 are off a billion times as much.)";

enum Attribute : uint32_t { kPositions, kDims, kBase, kScale, kDtype };

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const int64_t positions = args.attrs.integer(kPositions), dims = args.attrs.integer(kDims);
  position::need_count(positions, 0, "positions");
  if (dims < 2 || dims % 2 != 0) {
    throw sdk::Failure{TENON_E_ATTRIBUTE,
                       "dims must be an even number above 0",
                       "dims",
                       "2, 4, 6, ...",
                       std::to_string(dims),
                       "dims is how many elements of a row are rotated, in pairs"};
  }
  position::need_base(args.attrs.real(kBase));
  position::need_scale(args.attrs.real(kScale));
  const rules::Dims shape = rules::checked_shape(std::array{positions, dims / 2}, "positions");
  sdk::set_shape(out[0], shape.span());
  sdk::set_shape(out[1], shape.span());
}

void compose(sdk::Compose& c) {
  const int64_t dims = c.attrs.integer(kDims);
  tenon_tensor* angles = position::angles(c, c.attrs.integer(kPositions), dims / 2, dims,
                                          c.attrs.real(kBase), c.attrs.real(kScale));
  position::set_rounded(c, 0, c.call("tenon.cos", {angles}), c.attrs.dtype(kDtype));
  position::set_rounded(c, 1, c.call("tenon.sin", {angles}), c.attrs.dtype(kDtype));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "rope_tables(*, positions: int, dims: int, base: float=10000, "
                       "scale: float=1, dtype: D=f32) -> (cos: D[P,R], sin: D[P,R]) "
                       "where D: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "| positions=4, dims=6"),
    sdk::sample(name, "| positions=5, dims=8, dtype=f64"),
    sdk::sample(name, "| positions=7, dims=2, base=500000.0, dtype=f64"),
    sdk::sample(name, "| positions=3, dims=4, base=1.0, scale=0.25, dtype=f64"),
    sdk::sample(name, "| positions=3, dims=4, scale=-2.0, dtype=f32"),
    sdk::sample(name, "| positions=200, dims=2, scale=0.5, dtype=f32"),
    sdk::sample(name, "| positions=0, dims=4, dtype=f32"),
    sdk::sample(name, "| positions=1, dims=2, dtype=f64"),
    sdk::sample(name, "| positions=9, dims=10, dtype=f16"),
    sdk::sample(name, "| positions=9, dims=10, dtype=bf16"),
    sdk::refused(name, "| positions=4, dims=5", TENON_E_ATTRIBUTE, "dims must be an even number"),
    sdk::refused(name, "| positions=4, dims=0", TENON_E_ATTRIBUTE, "dims must be an even number"),
    sdk::refused(name, "| positions=-1, dims=4", TENON_E_ATTRIBUTE, "positions must be at least 0"),
    sdk::refused(name, "| positions=4, dims=4, base=0.0", TENON_E_ATTRIBUTE, "base must be"),
    sdk::refused(name, "| positions=4, dims=4, base=inf", TENON_E_ATTRIBUTE, "base must be"),
    sdk::refused(name, "| positions=4, dims=4, scale=nan", TENON_E_ATTRIBUTE, "scale must be"),
    sdk::refused(name, "| positions=4611686018427387904, dims=64", TENON_E_SHAPE,
                 "too many elements"),
    sdk::refused(name, "| positions=4, dims=4, dtype=i64", TENON_E_DTYPE, "i64"),
    sdk::refused(name, "| dims=4", TENON_E_ATTRIBUTE, "positions"),
    sdk::refused(name, "| positions=4", TENON_E_ATTRIBUTE, "dims"),
    sdk::refused(name, "f32[2] | positions=4, dims=4", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "An angle is rounded, and what that changes counts against 1, the largest cosine.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 1e-12}, .f64 = {2, 1e-14}});

}  // namespace

TENON_UNIT(rope_tables) = {.ops = ops, .samples = samples, .tolerances = tolerances};
