// SPDX-License-Identifier: Apache-2.0
// plugins/ops/random/permutation.cc: permutation, the numbers 0 to n - 1 in random order.
//
// y: the numbers i sorted by w(i), 64 random bits each, and by i if these are equal.
// Source: PyTorch's `randperm`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.permutation";

constexpr std::string_view doc =
    R"(The integers from 0 to `n - 1` in random order: sorted by keys of 64 random bits, of number
`i` words `2i` (high) and `2i+1`, and by themselves where keys are equal.

Each order is as likely as any other but for equal keys, whose chance is below `n^2 / 2^65`.

No gradient: there is no tensor input.

Source: PyTorch, `randperm`; Salmon and others, "Parallel Random Numbers: As Easy as 1, 2, 3", 2011
(Philox4x32-10).

Canonical arithmetic: exact. Bit-equal on every backend.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const int64_t n = args.attrs.integer(0);
  const int64_t most = args.attrs.dtype(1) == TENON_DTYPE_I32 ? int64_t{1} << 31 : int64_t{1} << 56;
  if (n < 0 || n > most) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "n is not a number of elements that the dtype can count",
                       "n", "0 <= n <= " + std::to_string(most), std::to_string(n)};
  }
  sdk::set_shape(out[0], std::span(&n, 1));
}

uint64_t words(const sdk::Args& args) { return 2 * static_cast<uint64_t>(args.attrs.integer(0)); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "permutation(*, n: int, dtype: D=i64) -> D[N] where D: i32|i64",
             .doc = doc,
             .flags = TENON_OP_RANDOM,
             .infer = sdk::infer_fn<infer>,
             .random_words = sdk::words_fn<words>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "| n=6"),
    sdk::sample(name, "| n=63"),
    sdk::sample(name, "| n=61, dtype=i32"),
    sdk::sample(name, "| n=2"),
    sdk::sample(name, "| n=1"),
    sdk::sample(name, "| n=0"),
    sdk::refused(name, "i64[2] | n=2", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "", TENON_E_ATTRIBUTE, "n"),
    sdk::refused(name, "| n=-1", TENON_E_ATTRIBUTE, "not a number of elements"),
    sdk::refused(name, "| n=2147483649, dtype=i32", TENON_E_ATTRIBUTE, "not a number of elements"),
    sdk::refused(name, "| n=2, dtype=u8", TENON_E_DTYPE, "u8"),
};

}  // namespace

TENON_UNIT(permutation) = {.ops = ops, .samples = samples};
