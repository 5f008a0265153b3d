// SPDX-License-Identifier: Apache-2.0
// plugins/ops/random/random_integers.cc: random_integers, each of a range as likely as any other.
//
// y[i] = low + floor(w(i) n / 2^64), n = high - low, w(i) 64 random bits.
// Source: D. Lemire, "Fast Random Integer Generation in an Interval", 2019.
#include "integers.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.random_integers";

constexpr std::string_view doc =
    R"(Random integers from `low` to `high - 1`: `y[i] = low + floor(w(i) * n / 2^64)`, where `n =
high - low` and `w(i)` has the 64 bits of words `2i` (high) and `2i+1`, with `i` the row-major
index. The numbers are the same in each dtype.

No number is refused and drawn again, so the chance of each value is within 2^-64 of `1 / n`, and
equal to it where `n` is a power of two.

No gradient: there is no tensor input.

Source: D. Lemire, "Fast Random Integer Generation in an Interval", 2019, without its rejections;
Salmon and others, "Parallel Random Numbers: As Easy as 1, 2, 3", 2011 (Philox4x32-10).

Canonical arithmetic: exact. Bit-equal on every backend.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const int64_t low = args.attrs.integer(1);
  const int64_t high = args.attrs.integer(2);
  const std::string found = std::to_string(low) + " and " + std::to_string(high);
  if (low >= high) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "no integer lies from low to high - 1", "low",
                       "low < high", found};
  }
  const rules::Ends ends = rules::ends_of(args.attrs.dtype(3));
  if (low < ends.least || high - 1 > ends.most) {
    throw sdk::Failure{
        TENON_E_ATTRIBUTE, "the dtype does not hold every integer from low to high - 1", "dtype",
        std::to_string(ends.least) + " <= low and high - 1 <= " + std::to_string(ends.most), found};
  }
  sdk::set_shape(out[0], rules::checked_shape(args.attrs.ints(0), "shape").span());
}

uint64_t words(const sdk::Args& args) {
  return 2 * static_cast<uint64_t>(sdk::count_of(args.attrs.ints(0)));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "random_integers(*, shape: int[], low: int=0, high: int, dtype: D=i64) -> "
                       "D[...] where D: int",
             .doc = doc,
             .flags = TENON_OP_RANDOM,
             .infer = sdk::infer_fn<infer>,
             .random_words = sdk::words_fn<words>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "| shape=[2,3], high=6"),
    sdk::sample(name, "| shape=[2,1,3,2], low=-3, high=4"),
    sdk::sample(name, "| shape=[61], high=100"),
    sdk::sample(name, "| shape=[63], low=1, high=7, dtype=i32"),
    sdk::sample(name, "| shape=[9], low=-128, high=128, dtype=i8"),
    sdk::sample(name, "| shape=[9], high=256, dtype=u8"),
    sdk::sample(name, "| shape=[9], low=-32768, high=32768, dtype=i16"),
    sdk::sample(name, "| shape=[9], low=-2147483648, high=2147483648, dtype=i32"),
    sdk::sample(name, "| shape=[9], low=-9223372036854775808, high=9223372036854775807"),
    sdk::sample(name, "| shape=[5], low=9223372036854775806, high=9223372036854775807"),
    sdk::sample(name, "| shape=[4], low=3, high=4"),
    sdk::sample(name, "| shape=[], high=10"),
    sdk::sample(name, "| shape=[3,0], high=10"),
    sdk::refused(name, "i64[2] | shape=[2], high=3", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "| high=3", TENON_E_ATTRIBUTE, "shape"),
    sdk::refused(name, "| shape=[2]", TENON_E_ATTRIBUTE, "high"),
    sdk::refused(name, "| shape=[2], high=0", TENON_E_ATTRIBUTE, "no integer"),
    sdk::refused(name, "| shape=[0], low=3, high=2", TENON_E_ATTRIBUTE, "no integer"),
    sdk::refused(name, "| shape=[2], high=257, dtype=u8", TENON_E_ATTRIBUTE, "does not hold"),
    sdk::refused(name, "| shape=[2], low=-129, high=0, dtype=i8", TENON_E_ATTRIBUTE,
                 "does not hold"),
    sdk::refused(name, "| shape=[-1], high=3", TENON_E_SHAPE, "negative size"),
    sdk::refused(name, "| shape=[2], high=3, dtype=f32", TENON_E_DTYPE, "f32"),
};

}  // namespace

TENON_UNIT(random_integers) = {.ops = ops, .samples = samples};
