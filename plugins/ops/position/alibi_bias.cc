// SPDX-License-Identifier: Apache-2.0
// plugins/ops/position/alibi_bias.cc: alibi_bias, what attention loses with distance.
//
// y[h,i,j] = -slope_h |i + offset - j|.
// Source: O. Press, N. Smith, M. Lewis, "Train Short, Test Long: Attention with Linear Biases
// Enables Input Length Extrapolation", 2022.
#include <bit>

#include "position/angles.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
namespace position = tenon::position;
constexpr std::string_view name = "tenon.alibi_bias";

constexpr std::string_view doc =
    R"(Attention with linear biases: what is added to the scores of query `i`, which stands at
`i + offset`, and key `j`: `y[h,i,j] = -slope_h * |i + offset - j|`. A causal model masks the later
keys, those with `j > i + offset`; for models that look both ways the bias falls off alike on both
sides.

The slopes of `n` heads are those of the paper's code: `2^(-8(h+1)/n)` for a power of two. For any
other `n`, with `m` the largest power of two below it, the `m` slopes of `m` heads come first, then
every other one of those of `2m` heads, from its first.

No gradient: there is no tensor input.

Source: O. Press, N. Smith, M. Lewis, "Train Short, Test Long: Attention with Linear Biases Enables
Input Length Extrapolation", 2022, and its code.

Canonical arithmetic: in f64 for every dtype: the slope as in `tenon.exp2` of an exact exponent, and
its product with the distance; rounded to D at the end.)";

enum Attribute : uint32_t { kHeads, kQueries, kKeys, kOffset, kDtype };

// Beyond, a position is no longer exact in f64.
constexpr int64_t kFar = int64_t{1} << 52;

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const int64_t heads = args.attrs.integer(kHeads);
  const int64_t queries = args.attrs.integer(kQueries), keys = args.attrs.integer(kKeys);
  const int64_t offset = args.attrs.integer(kOffset);
  position::need_count(heads, 1, "heads");
  position::need_count(queries, 0, "queries");
  position::need_count(keys, 0, "keys");
  if (offset < -kFar || offset > kFar) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "offset must be at most 2^52", "offset",
                       "-2^52 <= offset <= 2^52", std::to_string(offset)};
  }
  sdk::set_shape(out[0], rules::checked_shape(std::array{heads, queries, keys}, "heads").span());
}

// The exponents of 2 of the slopes: each is a whole number of steps, and a step a power of 2.
tenon_tensor* exponents(sdk::Compose& c, int64_t heads) {
  const auto power = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(heads)));
  const auto part = [&](int64_t step, int64_t count, double unit) {
    return c.call("tenon.mul", {position::numbers(c, 1, step, count), unit});
  };
  tenon_tensor* first = part(1, power, -8.0 / static_cast<double>(power));
  if (heads == power) return first;
  tenon_tensor* const parts[] = {first, part(2, heads - power, -4.0 / static_cast<double>(power))};
  return c.call("tenon.concat", {std::span<tenon_tensor* const>(parts)}, {0});
}

void compose(sdk::Compose& c) {
  const int64_t heads = c.attrs.integer(kHeads);
  const int64_t queries = c.attrs.integer(kQueries), keys = c.attrs.integer(kKeys);
  tenon_tensor* slopes = c.call("tenon.exp2", {exponents(c, heads)});
  tenon_tensor* from = position::numbers(c, c.attrs.integer(kOffset), 1, queries);
  tenon_tensor* apart = c.call(
      "tenon.sub", {position::reshaped(c, from, {queries, 1}), position::numbers(c, 0, 1, keys)});
  // From 0, so that no distance gives 0 and not -0.
  tenon_tensor* loss = c.call("tenon.sub", {0.0, c.call("tenon.abs", {apart})});
  tenon_tensor* y = c.call("tenon.mul", {position::reshaped(c, slopes, {heads, 1, 1}), loss});
  position::set_rounded(c, 0, y, c.attrs.dtype(kDtype));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "alibi_bias(*, heads: int, queries: int, keys: int, offset: int=0, "
                       "dtype: D=f32) -> D[H,Q,K] where D: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "| heads=4, queries=3, keys=3"),
    sdk::sample(name, "| heads=8, queries=2, keys=5, offset=3, dtype=f64"),
    sdk::sample(name, "| heads=12, queries=2, keys=3, dtype=f64"),
    sdk::sample(name, "| heads=3, queries=3, keys=2, offset=-1, dtype=f64"),
    sdk::sample(name, "| heads=7, queries=1, keys=4, offset=3, dtype=f32"),
    sdk::sample(name, "| heads=1, queries=1, keys=1, dtype=f64"),
    sdk::sample(name, "| heads=2, queries=0, keys=3, dtype=f32"),
    sdk::sample(name, "| heads=2, queries=3, keys=0, dtype=f32"),
    sdk::sample(name, "| heads=16, queries=1, keys=3, offset=1000, dtype=f16"),
    sdk::sample(name, "| heads=6, queries=2, keys=3, offset=500, dtype=bf16"),
    sdk::sample(name, "| heads=5, queries=1, keys=2, offset=4503599627370496, dtype=f64"),
    sdk::refused(name, "| heads=0, queries=2, keys=2", TENON_E_ATTRIBUTE, "heads must be"),
    sdk::refused(name, "| heads=1, queries=-1, keys=2", TENON_E_ATTRIBUTE, "queries must be"),
    sdk::refused(name, "| heads=1, queries=1, keys=-2", TENON_E_ATTRIBUTE, "keys must be"),
    sdk::refused(name, "| heads=1, queries=1, keys=1, offset=4503599627370497", TENON_E_ATTRIBUTE,
                 "offset must be"),
    sdk::refused(name, "| heads=1048576, queries=1048576, keys=2097152", TENON_E_SHAPE,
                 "too many elements"),
    sdk::refused(name, "| heads=1, queries=1, keys=1, dtype=bool", TENON_E_DTYPE, "bool"),
    sdk::refused(name, "| heads=1, queries=1", TENON_E_ATTRIBUTE, "keys"),
    sdk::refused(name, "f32[2] | heads=1, queries=1, keys=1", TENON_E_ARGUMENT,
                 "number of operands"),
};

constexpr auto tolerances =
    sdk::float_tolerances(name, "A power of 2 within 1 ULP in f64, and a product.",
                          {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {2, 0}});

}  // namespace

TENON_UNIT(alibi_bias) = {.ops = ops, .samples = samples, .tolerances = tolerances};
