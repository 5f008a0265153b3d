// SPDX-License-Identifier: Apache-2.0
// plugins/ops/random/filter_logits.cc: filter_logits, which tokens may be drawn at all.
//
// y = x / temperature for tokens that pass top_k, then top_p, then min_p; -inf for the others.
// Sources: A. Fan and others, 2018 (top_k); A. Holtzman and others, 2020 (top_p); M. Nguyen and
// others, 2024 (min_p).
#include "random/filtering.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.filter_logits";

constexpr std::string_view doc =
    R"(Logits divided by `temperature`, and -inf for tokens that may not be drawn. The last axis is
that of the tokens; each row goes alone through these steps, in this order:

1. `z = x / temperature`. A temperature of 0 keeps the first of the largest logits, as it is.
2. `top_k` above 0: the first `top_k` tokens stay. Tokens are in order of descending `z`, and of
   equal ones the lower index comes first, so that never more than `top_k` stay.
3. `top_p` below 1: in the same order a token stays while those before it have less than the
   probability `top_p` together, among the tokens that stayed so far. The first always stays.
4. `min_p` above 0: tokens stay that have at least `min_p` times the probability of the largest.

A logit of -inf stays out. NaN, infinity, a quotient that is infinite, and a row without any other
logit than -inf are refused.

No gradient: what stays depends on the logits in jumps.

Source: Hugging Face, `transformers`, the logits processors of `generate`, which keeps all tokens
equal to the last one of `top_k`; A. Fan and others, "Hierarchical Neural Story Generation", 2018;
A. Holtzman and others, "The Curious Case of Neural Text Degeneration", 2020; M. Nguyen and others,
"Turning Up the Heat: Min-p Sampling for Creative and Coherent LLM Outputs", 2024.

Canonical arithmetic: the quotient in f64, rounded to T. Weights are `w = exp(z - m)` in f64, with
`m` the largest `z`, and 0 below `exp(-700)`; the exponential is a polynomial of f64 products and
sums without fused operations. `min_p` compares `w` itself. For `top_p` each weight is rounded down
to a multiple of `2^-s`, with `s` the whole part of `62 - log2(V)`, so that sums are exact in any
order; a token stays while the sum before it is below `top_p` times the sum of all, in f64.
Bit-equal on every backend.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::check_filtering(args);
  sdk::set_shape(out[0], args.shape(0));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "filter_logits(logits: T[...,V], *, temperature: float=1.0, top_k: int=0, "
                       "top_p: float=1.0, min_p: float=0.0) -> T[...,V] where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,9](-4,4)"),
    sdk::sample(name, "f64[2,9](-4,4) | temperature=0.7, top_k=4"),
    sdk::sample(name, "f64[2,3,9](-3,3) | temperature=1.5, top_p=0.8"),
    sdk::sample(name, "f64[2,1,2,9](-3,3) | min_p=0.1"),
    sdk::sample(name, "f32[3,40](-3,3) | temperature=0.8, top_k=20, top_p=0.9, min_p=0.05"),
    sdk::sample(name, "f32[2,700](-2,2) | top_p=0.7"),
    sdk::sample(name, "f32[2,700](-2,2) | top_k=650, top_p=0.999"),
    sdk::sample(name, "f32[2,300](-2,2) | top_p=0.9999999999999999"),
    sdk::sample(name, "f32[2,9](-4,4) | temperature=0.0"),
    sdk::sample(name, "f32[2,5](-4,4) | top_k=9"),
    sdk::sample(name, "f32[3,1](-4,4) | top_k=1, top_p=0.0, min_p=1.0"),
    sdk::sample(name, "f32[0,3] | top_k=1"),
    sdk::sample(name, "bf16[2,9](-4,4) | temperature=0.7, top_k=5, top_p=0.9"),
    // Equal ones: the lower index first.
    sdk::sample(name, "f32[8]{1.0,3.0,2.0,3.0,2.0,2.0,-inf,1.0} | top_k=4"),
    sdk::sample(name, "f32[8]{1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0} | top_p=0.5"),
    sdk::sample(name, "f32[8]{1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0} | top_p=0.51, min_p=1.0"),
    sdk::sample(name, "f32[4]{2.0,5.0,5.0,0.0} | temperature=0.0"),
    sdk::sample(name, "f32[4]{2.0,5.0,5.0,0.0} | top_p=0.0"),
    sdk::sample(name, "f32[4]{0.0,-0.0,0.0,-0.0} | top_k=2"),
    sdk::sample(name, "f32[4]{-inf,1.0,-inf,-1.0} | top_k=3, top_p=0.99"),
    sdk::sample(name, "f32[3]{60000.0,-60000.0,0.0} | top_p=0.5"),
    sdk::sample(name, "f64[3]{300.0,-400.0,-401.0} | min_p=1e-300"),
    sdk::sample(name, "f32[3]{1e-45,-1e-45,0.0} | temperature=2.0"),
    sdk::refused(name, "f32[2,3]{1.0,2.0,3.0,1.0,nan,3.0}", TENON_E_DATA, "row 1 of the logits"),
    sdk::refused(name, "f32[2,3]{1.0,2.0,3.0,1.0,inf,3.0} | temperature=0.0", TENON_E_DATA,
                 "row 1 of the logits"),
    sdk::refused(name, "f16[3]{1.0,60000.0,3.0} | temperature=0.5", TENON_E_DATA,
                 "row 0 of the logits"),
    sdk::refused(name, "f32[2,2]{1.0,2.0,-inf,-inf}", TENON_E_DATA, "row 1 of the logits"),
    sdk::refused(name, "f32[2,3] | temperature=-1.0", TENON_E_ATTRIBUTE, "temperature"),
    sdk::refused(name, "f32[2,3] | temperature=inf", TENON_E_ATTRIBUTE, "temperature"),
    sdk::refused(name, "f32[2,3] | temperature=nan", TENON_E_ATTRIBUTE, "temperature"),
    sdk::refused(name, "f32[2,3] | top_k=-1", TENON_E_ATTRIBUTE, "top_k"),
    sdk::refused(name, "f32[2,3] | top_p=1.5", TENON_E_ATTRIBUTE, "top_p"),
    sdk::refused(name, "f32[2,3] | top_p=nan", TENON_E_ATTRIBUTE, "top_p"),
    sdk::refused(name, "f32[2,3] | min_p=-0.5", TENON_E_ATTRIBUTE, "min_p"),
    sdk::refused(name, "f32[]", TENON_E_SHAPE, "logits"),
    sdk::refused(name, "f32[2,0]", TENON_E_SHAPE, "logits"),
    sdk::refused(name, "i32[3]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[3], f32[3]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(filter_logits) = {.ops = ops, .samples = samples};
