// SPDX-License-Identifier: Apache-2.0
// plugins/ops/random/multinomial.cc: multinomial, categories drawn by their weights.
//
// y: the first k with w[0] + ... + w[k] > u (w[0] + ... + w[N-1]).
// Source: PyTorch's `multinomial`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.multinomial";

constexpr std::string_view doc =
    R"(Draws `num_samples` categories from each row of `weights`, whose last axis is that of the
categories: category `k` with the probability `weights[k]` over the row's sum. With `replacement`
draws are independent; without it a category that was drawn has the weight 0 from then on.

Draw `j` of row `r` is number `i = r * num_samples + j` and takes the first category whose sum of
weights up to it is above `u(i)` times the sum of all; `u(i)` is a multiple of 2^-53 as in an f64
`tenon.uniform`. A weight below 0, NaN or infinite is refused, as is a row with too few weights
above 0.

No gradient: the result are integers.

Source: PyTorch, `multinomial`; Salmon and others, "Parallel Random Numbers: As Easy as 1, 2, 3",
2011 (Philox4x32-10).

Canonical arithmetic: sums in f64, in order from the first category on, anew for each draw without
replacement; one product in f64. Bit-equal on every backend.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::Dims shape(args.shape(0));
  if (shape.count() == 0) {
    throw sdk::Failure{TENON_E_SHAPE, "weights have no axis of categories", "weights",
                       "at least one dimension", "[]"};
  }
  int64_t& last = shape[shape.count() - 1];
  const int64_t n = args.attrs.integer(0);
  const bool replacement = args.attrs.flag(1);
  if (n < 0 || (!replacement && n > last) || (last == 0 && n > 0)) {
    throw sdk::Failure{
        TENON_E_ATTRIBUTE,
        "there are not so many categories to draw",
        "num_samples",
        "0 <= num_samples" + (replacement ? std::string() : " <= " + std::to_string(last)),
        std::to_string(n),
        "with replacement=true a category can be drawn again"};
  }
  last = n;
  sdk::set_shape(out[0], rules::checked_shape(shape.span(), "num_samples").span());
}

// Two for each draw.
uint64_t words(const sdk::Args& args) {
  const std::span<const int64_t> shape = args.shape(0);
  const int64_t rows = sdk::count_of(shape.first(shape.size() - 1));
  return 2 * static_cast<uint64_t>(rows * args.attrs.integer(0));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "multinomial(weights: T[...,N], *, num_samples: int, "
                       "replacement: bool=false) -> i64[...,S] where T: float",
             .doc = doc,
             .flags = TENON_OP_RANDOM,
             .infer = sdk::infer_fn<infer>,
             .random_words = sdk::words_fn<words>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,5](0,1) | num_samples=3"),
    sdk::sample(name, "f64[2,5](0,1) | num_samples=9, replacement=true"),
    sdk::sample(name, "f64[2,1,3,4](0,1) | num_samples=2"),
    sdk::sample(name, "f32[7](0,1) | num_samples=7"),
    sdk::sample(name, "f32[61](0,1) | num_samples=63, replacement=true"),
    sdk::sample(name, "f16[2,3](0.1,1) | num_samples=2"),
    sdk::sample(name, "bf16[2,3](0.1,1) | num_samples=2"),
    sdk::sample(name, "f32[3,1](1,2) | num_samples=1"),
    sdk::sample(name, "f32[1]{2.0} | num_samples=4, replacement=true"),
    sdk::sample(name, "f32[0,3](0,1) | num_samples=2"),
    sdk::sample(name, "f32[2,3](0,1) | num_samples=0"),
    sdk::sample(name, "f32[2,0] | num_samples=0"),
    sdk::sample(name, "f32[6]{1.0,0.0,-0.0,3.0,0.0,2.0} | num_samples=2"),
    sdk::sample(name, "f32[6]{1.0,0.0,-0.0,3.0,0.0,2.0} | num_samples=8, replacement=true"),
    // Weights that f16 holds, too: where one becomes infinite or 0 the call is refused.
    sdk::sample(name, "f16[4]{65504.0,6e-8,65504.0,6.1035e-5} | num_samples=4"),
    sdk::sample(name, "f32[3]{6e-8,6e-8,65504.0} | num_samples=3"),
    sdk::sample(name, "f64[3]{6e-8,1.2e-7,6e-8} | num_samples=8, replacement=true"),
    sdk::refused(name, "f32[2,3](0,1) | num_samples=4", TENON_E_ATTRIBUTE, "so many categories"),
    sdk::refused(name, "f32[3](0,1) | num_samples=-1", TENON_E_ATTRIBUTE, "so many categories"),
    sdk::refused(name, "f32[2,0] | num_samples=1, replacement=true", TENON_E_ATTRIBUTE,
                 "so many categories"),
    sdk::refused(name, "f32[3]{1.0,-1.0,1.0} | num_samples=1", TENON_E_DATA, "weights"),
    sdk::refused(name, "f32[3]{1.0,nan,1.0} | num_samples=1", TENON_E_DATA, "weights"),
    sdk::refused(name, "f32[3]{1.0,inf,1.0} | num_samples=1", TENON_E_DATA, "weights"),
    sdk::refused(name, "f32[2,2]{1.0,1.0,0.0,0.0} | num_samples=1", TENON_E_DATA, "row 1"),
    sdk::refused(name, "f32[3]{1.0,0.0,0.0} | num_samples=2", TENON_E_DATA, "row 0"),
    sdk::refused(name, "f64[2]{1.7976931348623157e308,1.7976931348623157e308} | num_samples=1",
                 TENON_E_DATA, "sum"),
    sdk::refused(name, "f32[] | num_samples=1", TENON_E_SHAPE, "weights"),
    sdk::refused(name, "i32[3] | num_samples=1", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[3]", TENON_E_ATTRIBUTE, "num_samples"),
    sdk::refused(name, "f32[3], f32[3] | num_samples=1", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(multinomial) = {.ops = ops, .samples = samples};
