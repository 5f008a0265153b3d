// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/repetition_penalty.cc: repetition_penalty, tokens that were there made less
// likely.
//
// y[b,t] = x[b,t] penalty if x[b,t] < 0, else x[b,t] / penalty, for t in tokens[b,:]; else x[b,t].
// Source: N. Keskar and others, 2019.
#include <cmath>

#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.repetition_penalty";

constexpr std::string_view doc =
    R"(Logits in which each token that `tokens` has in the same row is penalised, once however often
it is there: `x * penalty` below 0, else `x / penalty`. A penalty above 1 makes it less likely, one
below 1 more likely. A token below 0 is padding and means nothing; one that is not below `V` is
refused.

No gradient.

Source: N. Keskar and others, "CTRL: A Conditional Transformer Language Model for Controllable
Generation", 2019; Hugging Face, `transformers`, `RepetitionPenaltyLogitsProcessor`.

Canonical arithmetic: one product or quotient in f64, rounded to T. Bit-equal on every backend.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::need_rank(args, 0, "logits", 2, "[B,V]");
  if ((args.view(1).flags & TENON_VIEW_HOST_SCALAR) != 0) {
    throw sdk::Failure{TENON_E_ARGUMENT, "tokens must be a tensor", "tokens",
                       "a tensor of i32 or i64", "a number"};
  }
  rules::need_rank(args, 1, "tokens", 2, "[B,L]");
  const double penalty = args.attrs.real(0);
  if (!(penalty > 0.0 && std::isfinite(penalty))) {
    throw sdk::Failure{TENON_E_ATTRIBUTE,         "penalty is out of range", "penalty",
                       "a finite number above 0", std::to_string(penalty),   "1 changes nothing"};
  }
  sdk::set_shape(out[0], args.shape(0));
}

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "repetition_penalty(logits: T[B,V], tokens: I[B,L], *, penalty: float) -> T[B,V] "
               "where T: float; I: i32|i64",
     .doc = doc,
     .infer = sdk::infer_fn<infer>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,5](-4,4), i64[2,3]{0,2,4,1,1,3} | penalty=1.2"),
    sdk::sample(name, "f32[2,5](-4,4), i32[2,4]{0,0,0,4,-1,3,-100,3} | penalty=1.3"),
    sdk::sample(name, "f32[3,7](-4,4), i64[3,2](0,7) | penalty=0.8"),
    sdk::sample(name, "f16[1,4](-4,4), i64[1,4]{3,2,1,0} | penalty=1.1"),
    sdk::sample(name, "bf16[1,4](-4,4), i64[1,2]{3,3} | penalty=2.0"),
    sdk::sample(name, "f32[2,3](-4,4), i64[2,0] | penalty=1.2"),
    sdk::sample(name, "f32[0,3], i64[0,2] | penalty=1.2"),
    sdk::sample(name, "f32[2,0], i64[2,1]{-1,-2} | penalty=1.2"),
    sdk::sample(name, "f32[1,1](1,2), i64[1,1]{0} | penalty=1.0"),
    sdk::sample(name, "f32[1,6]{0.0,-0.0,nan,inf,-inf,1e-45}, i64[1,6]{0,1,2,3,4,5} | penalty=2.0"),
    sdk::sample(name, "f16[1,3]{65504.0,-65504.0,6e-8}, i64[1,3]{0,1,2} | penalty=4.0"),
    sdk::refused(name, "f32[2,3], i64[2,2]{0,1,2,3} | penalty=1.2", TENON_E_DATA, "tokens[1,1]"),
    sdk::refused(name, "f32[1,3], i32[1,1]{3} | penalty=1.2", TENON_E_DATA, "tokens[0,0]"),
    sdk::refused(name, "f32[2,0], i64[2,1]{-1,0} | penalty=1.2", TENON_E_DATA, "tokens[1,0]"),
    sdk::refused(name, "f32[2,3], i64[3,2](0,2) | penalty=1.2", TENON_E_SHAPE, "tokens"),
    sdk::refused(name, "f32[3], i64[1,2](0,2) | penalty=1.2", TENON_E_SHAPE, "logits"),
    sdk::refused(name, "f32[1,3], i64[2](0,2) | penalty=1.2", TENON_E_SHAPE, "tokens"),
    sdk::refused(name, "f32[1,3], 1 | penalty=1.2", TENON_E_ARGUMENT, "a tensor"),
    sdk::refused(name, "f32[1,3], i64[1,2](0,2) | penalty=0.0", TENON_E_ATTRIBUTE, "penalty"),
    sdk::refused(name, "f32[1,3], i64[1,2](0,2) | penalty=-1.0", TENON_E_ATTRIBUTE, "penalty"),
    sdk::refused(name, "f32[1,3], i64[1,2](0,2) | penalty=inf", TENON_E_ATTRIBUTE, "penalty"),
    sdk::refused(name, "f32[1,3], i64[1,2](0,2) | penalty=nan", TENON_E_ATTRIBUTE, "penalty"),
    sdk::refused(name, "f32[1,3], i64[1,2](0,2)", TENON_E_ATTRIBUTE, "penalty"),
    sdk::refused(name, "f32[1,3], f32[1,2] | penalty=1.2", TENON_E_DTYPE, "f32"),
    sdk::refused(name, "i32[1,3], i64[1,2](0,2) | penalty=1.2", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[1,3] | penalty=1.2", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(repetition_penalty) = {.ops = ops, .samples = samples};
