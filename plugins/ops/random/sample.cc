// SPDX-License-Identifier: Apache-2.0
// plugins/ops/random/sample.cc: sample, one token drawn from each row of logits.
//
// y: the first k with w[0] + ... + w[k] > u (w[0] + ... + w[V-1]), w = exp(z - max z),
// z = filter_logits(x). Source: Hugging Face, `transformers`, `generate`.
#include "random/filtering.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.sample";

constexpr std::string_view doc =
    R"(Draws one token from each row of `logits`, whose last axis is that of the tokens: token `k`
with the probability `softmax(z)[k]`, where `z` is what `tenon.filter_logits` gives for the same
`temperature`, `top_k`, `top_p` and `min_p`. What that refuses is refused here.

A temperature of 0 takes the first of the largest logits. It uses up random numbers as every call
does, so that what is drawn later does not depend on the temperature.

Row `r` takes the first token whose sum of weights up to it is above `u(r)` times the sum of all, as
in `tenon.multinomial`; `u(r)` is a multiple of 2^-53 as in an f64 `tenon.uniform`. If that product
is rounded to the sum of all, it is the last token that has a weight.

No gradient: the result are integers.

Source: Hugging Face, `transformers`, `generate`; Salmon and others, "Parallel Random Numbers: As
Easy as 1, 2, 3", 2011 (Philox4x32-10).

Canonical arithmetic: weights in f64 as in `tenon.filter_logits`, their sum in f64 in order from the
first token on, one product in f64. Bit-equal on every backend.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  sdk::set_shape(out[0], rules::check_filtering(args));
}

// Two for each row.
uint64_t words(const sdk::Args& args) {
  const std::span<const int64_t> shape = args.shape(0);
  return 2 * static_cast<uint64_t>(sdk::count_of(shape.first(shape.size() - 1)));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "sample(logits: T[...,V], *, temperature: float=1.0, top_k: int=0, "
                       "top_p: float=1.0, min_p: float=0.0) -> i64[...] where T: float",
             .doc = doc,
             .flags = TENON_OP_RANDOM,
             .infer = sdk::infer_fn<infer>,
             .random_words = sdk::words_fn<words>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,9](-4,4)"),
    sdk::sample(name, "f64[2,9](-4,4) | temperature=0.7, top_k=4"),
    sdk::sample(name, "f64[2,3,9](-3,3) | temperature=1.5, top_p=0.8"),
    sdk::sample(name, "f64[2,1,2,9](-3,3) | min_p=0.1"),
    sdk::sample(name, "f32[9,40](-3,3) | temperature=0.8, top_k=20, top_p=0.9, min_p=0.05"),
    sdk::sample(name, "f32[9,61](-1,1)"),
    sdk::sample(name, "f32[2,700](-2,2) | top_p=0.7"),
    sdk::sample(name, "f32[3,9](-4,4) | temperature=0.0"),
    sdk::sample(name, "f32[4]{2.0,5.0,5.0,0.0} | temperature=0.0"),
    sdk::sample(name, "f32[7](-4,4) | top_k=9"),
    sdk::sample(name, "f32[3,1](-4,4)"),
    sdk::sample(name, "f32[0,3]"),
    sdk::sample(name, "f16[3,5](-2,2) | top_p=0.9"),
    sdk::sample(name, "bf16[3,5](-2,2) | top_k=2"),
    sdk::sample(name, "f32[5]{-inf,1.0,-inf,1.0,-inf}"),
    sdk::sample(name, "f32[3]{60000.0,-60000.0,59999.0}"),
    sdk::refused(name, "f32[2,3]{1.0,2.0,3.0,1.0,nan,3.0}", TENON_E_DATA, "row 1 of the logits"),
    sdk::refused(name, "f32[2,3]{1.0,2.0,3.0,1.0,inf,3.0}", TENON_E_DATA, "row 1 of the logits"),
    sdk::refused(name, "f16[3]{1.0,60000.0,3.0} | temperature=0.5", TENON_E_DATA,
                 "row 0 of the logits"),
    sdk::refused(name, "f32[2,2]{1.0,2.0,-inf,-inf}", TENON_E_DATA, "row 1 of the logits"),
    sdk::refused(name, "f32[2,3] | temperature=-1.0", TENON_E_ATTRIBUTE, "temperature"),
    sdk::refused(name, "f32[2,3] | top_k=-1", TENON_E_ATTRIBUTE, "top_k"),
    sdk::refused(name, "f32[2,3] | top_p=-0.1", TENON_E_ATTRIBUTE, "top_p"),
    sdk::refused(name, "f32[2,3] | min_p=1.5", TENON_E_ATTRIBUTE, "min_p"),
    sdk::refused(name, "f32[]", TENON_E_SHAPE, "logits"),
    sdk::refused(name, "f32[2,0]", TENON_E_SHAPE, "logits"),
    sdk::refused(name, "i32[3]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[3], f32[3]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(sample) = {.ops = ops, .samples = samples};
