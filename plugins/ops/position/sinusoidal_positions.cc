// SPDX-License-Identifier: Apache-2.0
// plugins/ops/position/sinusoidal_positions.cc: sinusoidal_positions, waves that tell positions
// apart.
//
// y[p,2i] = sin(p base^(-2i/dims)),  y[p,2i+1] = cos(p base^(-2i/dims)).
// Source: A. Vaswani et al., "Attention Is All You Need", 2017, 3.5.
#include "position/angles.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
namespace position = tenon::position;
constexpr std::string_view name = "tenon.sinusoidal_positions";

constexpr std::string_view doc =
    R"(What the first Transformer adds to its embeddings: a row for each position, whose even columns
are sines and whose odd columns are cosines, `y[p,2i] = sin(p * base^(-2i/dims))` and
`y[p,2i+1] = cos(p * base^(-2i/dims))`. The last column of an odd number of them is a sine.

No gradient: there is no tensor input.

Source: A. Vaswani et al., "Attention Is All You Need", 2017, section 3.5.

Canonical arithmetic: in f64 for every dtype, each operation rounded: `-2i / dims`, the power as in
`tenon.pow`, its product with `p`, sine and cosine; rounded to D at the end.)";

enum Attribute : uint32_t { kPositions, kDims, kBase, kDtype };

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const int64_t positions = args.attrs.integer(kPositions), dims = args.attrs.integer(kDims);
  position::need_count(positions, 0, "positions");
  position::need_count(dims, 1, "dims");
  position::need_base(args.attrs.real(kBase));
  sdk::set_shape(out[0], rules::checked_shape(std::array{positions, dims}, "positions").span());
}

void compose(sdk::Compose& c) {
  const int64_t positions = c.attrs.integer(kPositions), dims = c.attrs.integer(kDims);
  const int64_t pairs = (dims + 1) / 2;
  tenon_tensor* angles = position::angles(c, positions, pairs, dims, c.attrs.real(kBase), 1.0);
  tenon_tensor* const waves[] = {c.call("tenon.sin", {angles}), c.call("tenon.cos", {angles})};
  const std::span<tenon_tensor* const> list(waves);
  tenon_tensor* both = c.call("tenon.stack", {list}, {-1});
  tenon_tensor* rows = position::reshaped(c, both, {positions, 2 * pairs});
  if (dims % 2 != 0) rows = c.call("tenon.slice", {rows}, {1, 0, dims});
  position::set_rounded(c, 0, c.call("tenon.copy", {rows}), c.attrs.dtype(kDtype));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "sinusoidal_positions(*, positions: int, dims: int, base: float=10000, "
                       "dtype: D=f32) -> D[P,C] where D: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "| positions=4, dims=6"),
    sdk::sample(name, "| positions=5, dims=8, dtype=f64"),
    sdk::sample(name, "| positions=5, dims=7, base=100.0, dtype=f64"),
    sdk::sample(name, "| positions=3, dims=1, dtype=f32"),
    sdk::sample(name, "| positions=1, dims=2, dtype=f64"),
    sdk::sample(name, "| positions=0, dims=4, dtype=f32"),
    sdk::sample(name, "| positions=200, dims=2, dtype=f32"),
    sdk::sample(name, "| positions=9, dims=10, dtype=f16"),
    sdk::sample(name, "| positions=9, dims=5, dtype=bf16"),
    sdk::refused(name, "| positions=4, dims=0", TENON_E_ATTRIBUTE, "dims must be at least 1"),
    sdk::refused(name, "| positions=-1, dims=4", TENON_E_ATTRIBUTE, "positions must be at least 0"),
    sdk::refused(name, "| positions=4, dims=4, base=-2.0", TENON_E_ATTRIBUTE, "base must be"),
    sdk::refused(name, "| positions=4611686018427387904, dims=64", TENON_E_SHAPE,
                 "too many elements"),
    sdk::refused(name, "| positions=4, dims=4, dtype=i32", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "| positions=4", TENON_E_ATTRIBUTE, "dims"),
    sdk::refused(name, "f32[2] | positions=4, dims=4", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "An angle is rounded, and what that changes counts against 1, the largest sine.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 1e-12}, .f64 = {2, 1e-14}});

}  // namespace

TENON_UNIT(sinusoidal_positions) = {.ops = ops, .samples = samples, .tolerances = tolerances};
