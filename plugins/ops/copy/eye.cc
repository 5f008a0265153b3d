// SPDX-License-Identifier: Apache-2.0
// plugins/ops/copy/eye.cc: eye, ones on a diagonal.
//
// y[i, j] = 1 where j - i = k, else 0. Source: array-api `eye`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.eye";

constexpr std::string_view doc =
    R"(A matrix of `n` rows and `m` columns (none: `n`) with ones on the diagonal number `k` and
zeros elsewhere: `y[i, j] = 1` where `j - i = k`. Positive numbers are above the main diagonal.

No gradient: there is no tensor input.

Source: Python array API standard, `eye`.

Canonical arithmetic: none; the values are exact.)";

enum Attribute : uint32_t { kRows, kColumns };

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const int64_t rows = args.attrs.integer(kRows);
  const int64_t sizes[] = {rows, args.attrs.given(kColumns) ? args.attrs.integer(kColumns) : rows};
  sdk::set_shape(out[0], rules::checked_shape(sizes, rows < 0 ? "n" : "m").span());
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "eye(*, n: int, m: int?, k: int=0, dtype: D=f32) -> D[...]",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "| n=3"),
    sdk::sample(name, "| n=2, m=4"),
    sdk::sample(name, "| n=4, m=2, k=-1, dtype=f64"),
    sdk::sample(name, "| n=2, m=3, k=1, dtype=i32"),
    sdk::sample(name, "| n=3, k=3"),
    sdk::sample(name, "| n=3, k=-9223372036854775808"),
    sdk::sample(name, "| n=3, k=9223372036854775807"),
    sdk::sample(name, "| n=1, dtype=f16"),
    sdk::sample(name, "| n=0"),
    sdk::sample(name, "| n=2, m=0"),
    sdk::sample(name, "| n=0, m=2"),
    sdk::sample(name, "| n=3, dtype=bool"),
    sdk::refused(name, "| n=-1", TENON_E_SHAPE, "negative size"),
    sdk::refused(name, "| n=2, m=-1", TENON_E_SHAPE, "negative size"),
    sdk::refused(name, "| n=4294967296", TENON_E_SHAPE, "too many elements"),
    sdk::refused(name, "", TENON_E_ATTRIBUTE, "n"),
    sdk::refused(name, "| n=2.0", TENON_E_ATTRIBUTE, "n"),
    sdk::refused(name, "f32[2] | n=2", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(eye) = {.ops = ops, .samples = samples};
