// SPDX-License-Identifier: Apache-2.0
// plugins/ops/loss/ctc_nll_grad.cc: ctc_nll_grad, the backward rule of ctc_nll.
//
// y[t,b,c] = -dy[b] (the share of the alignments of b, by probability, that emit c in frame t).
// Source: A. Graves et al., "Connectionist Temporal Classification", 2006, equations 10 to 14.
#include "loss/alignments.hpp"

namespace {

namespace loss = tenon::loss;
namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.ctc_nll_grad";

constexpr std::string_view doc =
    R"(The gradient of `log_probs` in `tenon.ctc_nll`: `y[t,b,c]` is `-dy[b]` times the share of the
sequence's alignments, weighed by their probabilities, that emit class `c` in frame `t`. Shares of a
frame add up to 1. Frames past `input_lengths[b]` have 0. A sequence without an alignment has NaN at
its classes, and 0 with `zero_infinity`.

PyTorch's `ctc_loss` gives `exp(log_probs)` more than this in each frame of a sequence, times
`dy[b]`: the gradient of the logits, were `log_probs` their `log_softmax`. Through that both give
the same gradient of the logits; for `log_probs` itself this one is the derivative.

Gradient: none.

Source: A. Graves, S. Fernandez, F. Gomez, J. Schmidhuber, "Connectionist Temporal Classification",
2006.

Canonical arithmetic: that of `tenon.ctc_nll` for its `a` and `y`, and for `b`: the same with the
states and the frames in reverse order, before `log_probs` is added. The share of a state in frame
`t` is `exp((a[t,s] + b[t,s]) + y)`, where `y` is that of `tenon.ctc_nll`. For each class from 0,
`dy[b]` times the share is subtracted for each of its states, the last one first.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  loss::need_alignments(args, 1);
  rules::need_rank(args, 0, "dy", 1, "[B]");
  sdk::set_shape(out[0], args.shape(1));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "ctc_nll_grad(dy: T[B], log_probs: T[F,B,C], targets: i64[...], "
                       "input_lengths: i64[B], target_lengths: i64[B], *, blank: int=0, "
                       "zero_infinity: bool=false) -> T[F,B,C] where T: f32|f64",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2], f64[4,2,3](-3,0), i64[2,2]{1,2,2,1}, i64[2]{4,3}, i64[2]{2,1}"),
    sdk::sample(name,
                "f64[3], f64[6,3,4](-3,0), i64[3,3]{0,2,0,1,1,1,2,0,1}, i64[3]{6,6,5}, "
                "i64[3]{3,2,3} | blank=3"),
    sdk::sample(name, "f64[2], f64[5,2,3](-3,0), i64[4]{1,1,2,1}, i64[2]{5,4}, i64[2]{2,2}"),
    sdk::sample(name, "f64[2], f64[3,2,3](-3,0), i64[2,2]{1,1,2,2}, i64[2]{3,3}, i64[2]{2,0}"),
    sdk::sample(name,
                "f64[3], f64[3,3,3](-3,0), i64[3,2]{1,1,1,2,1,2}, i64[3]{2,1,2}, "
                "i64[3]{2,2,2}"),
    sdk::sample(name,
                "f64[3], f64[3,3,3](-3,0), i64[3,2]{1,1,1,2,1,2}, i64[3]{2,1,2}, "
                "i64[3]{2,2,2} | zero_infinity=true"),
    sdk::sample(name, "f64[3], f64[2,3,2](-3,0), i64[3,1]{1,1,1}, i64[3]{0,0,2}, i64[3]{0,1,1}"),
    sdk::sample(name, "f64[2], f64[0,2,2], i64[2,1]{1,1}, i64[2]{0,0}, i64[2]{0,1}"),
    sdk::sample(name, "f64[0], f64[2,0,3], i64[0,2], i64[0], i64[0]"),
    sdk::sample(name, "f64[2], f64[2,2,1](-3,0), i64[2,0], i64[2]{2,1}, i64[2]{0,0}"),
    sdk::sample(name, "f64[1], f64[2,1,3](-3,0), i64[0], i64[1]{2}, i64[1]{0} | blank=1"),
    sdk::sample(name, "f32[2], f32[7,2,5](-9,0), i64[2,3]{4,4,1,3,2,1}, i64[2]{7,6}, i64[2]{3,3}"),
    sdk::sample(name,
                "f32[4], f32[2,4,2]{-inf,-1.0,nan,-1.0,-1.0,inf,-1.0,-inf,-2.0,-3.0,-1.0,nan,"
                "-1.0,-1.0,nan,-1.0}, i64[4,1]{1,1,1,1}, i64[4]{2,2,2,1}, i64[4]{1,1,1,1}"),
    sdk::sample(name,
                "f32[3]{nan,inf,-inf}, f32[1,3,2](-3,0), i64[3,1]{1,1,1}, i64[3]{1,1,1}, "
                "i64[3]{1,1,1}"),
    sdk::sample(name,
                "f32[3]{3.4028235e38,1e-45,1.1754944e-38}, f32[1,3,2](-3,0), "
                "i64[3,1]{1,1,1}, i64[3]{1,1,1}, i64[3]{1,1,1}"),
    sdk::sample(name,
                "f64[2]{1.7976931348623157e308,5e-324}, f64[1,2,2](-3,0), i64[2,1]{1,1}, "
                "i64[2]{1,1}, i64[2]{1,1}"),
    sdk::sample(name,
                "f32[2], f32[1,2,2]{-3e38,-3.4028235e38,-1.1754944e-38,-1e-45}, "
                "i64[2,1]{1,1}, i64[2]{1,1}, i64[2]{1,1}"),
    sdk::refused(name, "f32[1], f32[2,1,3], i64[1,1]{1}, i64[1]{3}, i64[1]{1}", TENON_E_DATA,
                 "input_lengths[0] is 3, outside the 2 frames"),
    sdk::refused(name, "f32[1], f32[2,1,3], i64[1,1]{1}, i64[1]{2}, i64[1]{2}", TENON_E_DATA,
                 "target_lengths[0] is 2, outside the 1 targets of a row"),
    sdk::refused(name, "f32[2], f32[2,2,3], i64[3]{1,1,1}, i64[2]{2,2}, i64[2]{1,1}", TENON_E_DATA,
                 "do not add up to the number of targets"),
    sdk::refused(name, "f32[1], f32[2,1,3], i64[1,1]{0}, i64[1]{2}, i64[1]{1}", TENON_E_DATA,
                 "targets[0,0] is 0, which is the blank"),
    sdk::refused(name, "f32[1], f32[2,1,3], i64[1,1]{3}, i64[1]{2}, i64[1]{1}", TENON_E_DATA,
                 "targets[0,0] is 3, which is not a class"),
    sdk::refused(name, "f32[1], f32[2,1,3], i64[1,1]{1}, i64[1]{2}, i64[1]{1} | blank=3",
                 TENON_E_ATTRIBUTE, "blank is not a class"),
    sdk::refused(name, "f32[1], f32[2,1,0], i64[1,1]{1}, i64[1]{2}, i64[1]{1}", TENON_E_SHAPE,
                 "log_probs has no classes"),
    sdk::refused(name, "f32[2], f32[2,2,3], i64[1,1]{1}, i64[2]{2,2}, i64[2]{1,1}", TENON_E_SHAPE,
                 "targets must have a row for each sequence"),
    sdk::refused(name, "f32[3], f32[2,2,3], i64[2,1]{1,1}, i64[2]{2,2}, i64[2]{1,1}", TENON_E_SHAPE,
                 "log_probs"),
    sdk::refused(name, "1.0, f32[2,1,3], i64[1,1]{1}, i64[1]{2}, i64[1]{1}", TENON_E_SHAPE,
                 "dy must have 1 dimension"),
    sdk::refused(name, "f32[1], f32[2,1,3], i64[1,1]{1}, 2, i64[1]{1}", TENON_E_SHAPE,
                 "input_lengths must have 1 dimension"),
    sdk::refused(name, "f64[1], f32[2,1,3], i64[1,1]{1}, i64[1]{2}, i64[1]{1}", TENON_E_DTYPE,
                 "log_probs"),
    sdk::refused(name, "f32[1], f32[2,1,3], i64[1,1]{1}, i64[1]{2}", TENON_E_ARGUMENT,
                 "number of operands"),
};

constexpr std::string_view reason =
    "A share is the exponential of a sum of logarithms, whose errors, as large as their last "
    "digits, "
    "are errors of the share relative to 1.";
constexpr tenon_tolerance tolerances[] = {
    sdk::tolerance({name, TENON_DTYPE_F32, 4, 2e-05, reason}),
    sdk::tolerance({name, TENON_DTYPE_F64, 4, 4e-14, reason}),
};

}  // namespace

TENON_UNIT(ctc_nll_grad) = {.ops = ops, .samples = samples, .tolerances = tolerances};
