// SPDX-License-Identifier: Apache-2.0
// plugins/ops/random/uniform.cc: uniform, random numbers spread evenly over an interval.
//
// y[i] = low + u(i) (high - low), u(i) in [0,1) from Philox words at the logical index i.
// Source: J. Salmon and others, "Parallel Random Numbers: As Easy as 1, 2, 3", 2011.
#include <cmath>

#include "random/words.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.uniform";

constexpr std::string_view doc =
    R"(Random numbers, uniform in `[low, high)`: `y[i] = low + u(i) * (high - low)`. `u(i)` is a
multiple of 2^-24 (f32: the top 24 bits of word `i`) or 2^-53 (f64: the top 53 bits of
words `2i`, high, and `2i+1`), with `i` the row-major index. Rounding can give `high`
itself where it is much larger than `high - low`.

No gradient: there is no tensor input.

Source: J. Salmon and others, "Parallel Random Numbers: As Easy as 1, 2, 3", 2011
(Philox4x32-10).

Canonical arithmetic: `high - low` once, then a product and a sum per element, each rounded
to the dtype. Bit-equal on every backend.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const double low = args.attrs.real(1);
  const double high = args.attrs.real(2);
  if (!(std::isfinite(low) && std::isfinite(high) && low <= high)) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "low and high bound no interval", "low",
                       "finite numbers, low <= high",
                       std::to_string(low) + " and " + std::to_string(high)};
  }
  sdk::set_shape(out[0], rules::checked_shape(args.attrs.ints(0), "shape").span());
}

uint64_t words(const sdk::Args& args) {
  return rules::words_of(args.attrs.ints(0), args.attrs.dtype(3));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "uniform(*, shape: int[], low: float=0, high: float=1, dtype: D=f32) -> "
                       "D[...] where D: f32|f64",
             .doc = doc,
             .flags = TENON_OP_RANDOM,
             .infer = sdk::infer_fn<infer>,
             .random_words = sdk::words_fn<words>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "| shape=[2,3]"),
    sdk::sample(name, "| shape=[2,1,3,2]"),
    sdk::sample(name, "| shape=[61], dtype=f64"),
    sdk::sample(name, "| shape=[63]"),
    sdk::sample(name, "| shape=[4,5], low=-2.0, high=3.0"),
    sdk::sample(name, "| shape=[]"),
    sdk::sample(name, "| shape=[3,0]"),
    sdk::sample(name, "| shape=[1,1], dtype=f64"),
    sdk::sample(name, "| shape=[7], low=1.5, high=1.5, dtype=f64"),
    sdk::sample(name, "| shape=[9], low=-1e30, high=1e30"),
    sdk::sample(name, "| shape=[5], low=-1e300, high=1e300, dtype=f64"),
    sdk::sample(name, "| shape=[6], low=0.0, high=1e-45"),
    sdk::refused(name, "f32[2] | shape=[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "", TENON_E_ATTRIBUTE, "shape"),
    sdk::refused(name, "| shape=[2], low=1.0, high=0.0", TENON_E_ATTRIBUTE, "bound no interval"),
    sdk::refused(name, "| shape=[2], high=inf", TENON_E_ATTRIBUTE, "bound no interval"),
    sdk::refused(name, "| shape=[2], low=nan", TENON_E_ATTRIBUTE, "bound no interval"),
    sdk::refused(name, "| shape=[-1]", TENON_E_SHAPE, "negative size"),
    sdk::refused(name, "| shape=[2], dtype=i32", TENON_E_DTYPE, "i32"),
};

}  // namespace

TENON_UNIT(uniform) = {.ops = ops, .samples = samples};
