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
    R"(What the first Transformer adds to its embeddings: a row for each position. Even columns are
sines and odd ones cosines, `y[p,2i] = sin(p * base^(-2i/dims))` and
`y[p,2i+1] = cos(p * base^(-2i/dims))`, with `shape = [positions, dims]`. The last column of an odd
number of them is a sine. Layers take it for the initial values of a table.

No gradient: there is no tensor input.

Source: A. Vaswani et al., "Attention Is All You Need", 2017, section 3.5.

Canonical arithmetic: in f64 for every dtype, each operation rounded: `-2i / dims`, the power as in
`tenon.pow`, its product with `p`, sine and cosine; rounded to D at the end.)";

enum Attribute : uint32_t { kShape, kBase, kDtype };

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  position::need_base(args.attrs.real(kBase));
  sdk::set_shape(out[0], position::table_shape(args, kShape).span());
}

void compose(sdk::Compose& c) {
  const int64_t positions = c.attrs.ints(kShape)[0], dims = c.attrs.ints(kShape)[1];
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
             .schema = "sinusoidal_positions(*, shape: int[2], base: float=10000, "
                       "dtype: D=f32) -> D[P,C] where D: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "| shape=[4,6]"),
    sdk::sample(name, "| shape=[5,8], dtype=f64"),
    sdk::sample(name, "| shape=[5,7], base=100.0, dtype=f64"),
    sdk::sample(name, "| shape=[3,1], dtype=f32"),
    sdk::sample(name, "| shape=[1,2], dtype=f64"),
    sdk::sample(name, "| shape=[0,4], dtype=f32"),
    sdk::sample(name, "| shape=[200,2], dtype=f32"),
    sdk::sample(name, "| shape=[9,10], dtype=f16"),
    sdk::sample(name, "| shape=[9,5], dtype=bf16"),
    sdk::refused(name, "| shape=[4,0]", TENON_E_SHAPE, "shape must have columns"),
    sdk::refused(name, "| shape=[-1,4]", TENON_E_SHAPE, "negative size"),
    sdk::refused(name, "| shape=[4,4], base=-2.0", TENON_E_ATTRIBUTE, "base must be"),
    sdk::refused(name, "| shape=[4611686018427387904,64]", TENON_E_SHAPE, "too many elements"),
    sdk::refused(name, "| shape=[4,4], dtype=i32", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "", TENON_E_ATTRIBUTE, "shape"),
    sdk::refused(name, "| shape=[4,4,4]", TENON_E_ATTRIBUTE, "shape"),
    sdk::refused(name, "f32[2] | shape=[4,4]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "An angle is rounded, and what that changes counts against 1, the largest sine.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 1e-12}, .f64 = {2, 1e-14}});

}  // namespace

TENON_UNIT(sinusoidal_positions) = {.ops = ops, .samples = samples, .tolerances = tolerances};
