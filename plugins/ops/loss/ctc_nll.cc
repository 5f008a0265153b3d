// SPDX-License-Identifier: Apache-2.0
// plugins/ops/loss/ctc_nll.cc: ctc_nll, the loss of each sequence that ctc_loss is made of.
//
// States of a sequence of L labels: z = blank, label 0, blank, label 1, ..., blank. With x =
// log_probs of the sequence, a[-1,-1] = 0 and all others -inf:
//   a[t,s] = logsumexp(a[t-1,s], a[t-1,s-1], a[t-1,s-2] if z[s] is a label other than z[s-2])
//            + x[t,z[s]]
//   y = -logsumexp(a[T-1,2L], a[T-1,2L-1])
// Source: A. Graves et al., "Connectionist Temporal Classification", 2006, equations 6 to 8.
#include "loss/alignments.hpp"

namespace {

namespace loss = tenon::loss;
namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.ctc_nll";

constexpr std::string_view doc =
    R"(The negative logarithm of the probability of each sequence of labels: `y[b] = -log sum over
alignments of exp(sum_t log_probs[t,b,z_t])`, as `tenon.ctc_loss` takes it, which is this op and a
reduction. An alignment names a class for each of the `input_lengths[b]` frames; without repetitions
and then without blanks it is the first `target_lengths[b]` targets of row `b`. `targets` [N] are
those of all sequences, one after another, and `target_lengths` add up to N.

A sequence without an alignment, as one with fewer frames than labels and repetitions among them,
has `inf`, with `zero_infinity` 0. Without frames the alignment of no labels has probability 1.
Frames and targets past the lengths are not read. A length outside of the frames or targets, a
target that is the blank and one that is not a class are refused.

Gradient: `tenon.ctc_nll_grad`, for `log_probs` alone; it has no gradient of its own.

Source: A. Graves, S. Fernandez, F. Gomez, J. Schmidhuber, "Connectionist Temporal Classification",
2006.

Canonical arithmetic: in f32 for f32, in f64 for f64. With states `z = blank, label 0, blank, label
1, ..., blank`, of number `S = 2 L + 1`, `a` is before the first frame 0 for a state -1 and -inf for
others. For each frame `a'[s] = l(a[s], a[s-1], a[s-2]) + log_probs[t,b,z[s]]`, a state -1 is -inf
from then on, and -inf stands for `a[s-2]` if `z[s]` is the blank or equals `z[s-2]`. `l(p, q, r) =
m + log((exp(p - m) + exp(q - m)) + exp(r - m))`, each operation rounded, where `m` is the largest,
or 0 if that is not finite. `y = -l(a[S-1], a[S-2], -inf)`.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  loss::need_alignments(args, 0);
  sdk::set_shape(out[0], args.shape(0).subspan(1, 1));
}

void vjp(sdk::Vjp& v) {
  v.grad(0, v.call("tenon.ctc_nll_grad", {v.dy(), v.in(0), v.in(1), v.in(2), v.in(3)},
                   {v.attr(0), v.attr(1)}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "ctc_nll(log_probs: T[F,B,C], targets: i64[...], input_lengths: i64[B], "
                       "target_lengths: i64[B], *, blank: int=0, zero_infinity: bool=false) -> "
                       "T[B] where T: f32|f64",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = 0xf}), {}, {}, {}};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name,
              .needs = needs,
              .vjp = sdk::vjp_fn<vjp>,
              .n_attrs = 2,
              .flags = 0,
              .non_differentiable = sdk::bit(1) | sdk::bit(2) | sdk::bit(3)})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[4,2,3](-3,0), i64[2,2]{1,2,2,1}, i64[2]{4,3}, i64[2]{2,1}"),
    sdk::sample(name,
                "f64[6,3,4](-3,0), i64[3,3]{0,2,0,1,1,1,2,0,1}, i64[3]{6,6,5}, i64[3]{3,2,3} "
                "| blank=3"),
    sdk::sample(name, "f64[5,2,3](-3,0), i64[4]{1,1,2,1}, i64[2]{5,4}, i64[2]{2,2}"),
    sdk::sample(name, "f64[3,2,3](-3,0), i64[2,2]{1,1,2,2}, i64[2]{3,3}, i64[2]{2,0}"),
    sdk::sample(name, "f64[3,3,3](-3,0), i64[3,2]{1,1,1,2,1,2}, i64[3]{2,1,2}, i64[3]{2,2,2}"),
    sdk::sample(name,
                "f64[3,3,3](-3,0), i64[3,2]{1,1,1,2,1,2}, i64[3]{2,1,2}, i64[3]{2,2,2} | "
                "zero_infinity=true"),
    sdk::sample(name, "f64[2,3,2](-3,0), i64[3,1]{1,1,1}, i64[3]{0,0,2}, i64[3]{0,1,1}"),
    sdk::sample(name, "f64[0,2,2], i64[2,1]{1,1}, i64[2]{0,0}, i64[2]{0,1}"),
    sdk::sample(name, "f64[2,0,3], i64[0,2], i64[0], i64[0]"),
    sdk::sample(name, "f64[2,2,1](-3,0), i64[2,0], i64[2]{2,1}, i64[2]{0,0}"),
    sdk::sample(name, "f64[2,1,3](-3,0), i64[0], i64[1]{2}, i64[1]{0} | blank=1"),
    sdk::sample(name, "f32[7,2,5](-9,0), i64[2,3]{4,4,1,3,2,1}, i64[2]{7,6}, i64[2]{3,3}"),
    sdk::sample(name,
                "f32[2,4,2]{-inf,-1.0,nan,-1.0,-1.0,inf,-1.0,-inf,-2.0,-3.0,-1.0,nan,-1.0,"
                "-1.0,nan,-1.0}, i64[4,1]{1,1,1,1}, i64[4]{2,2,2,1}, i64[4]{1,1,1,1}"),
    sdk::sample(name,
                "f32[1,2,2]{-3e38,-3.4028235e38,-1.1754944e-38,-1e-45}, i64[2,1]{1,1}, "
                "i64[2]{1,1}, i64[2]{1,1}"),
    sdk::sample(name,
                "f64[1,1,2]{-1.7976931348623157e308,-5e-324}, i64[1,1]{1}, i64[1]{1}, "
                "i64[1]{1}"),
    sdk::refused(name, "f32[2,1,3], i64[1,1]{1}, i64[1]{3}, i64[1]{1}", TENON_E_DATA,
                 "input_lengths[0] is 3, outside the 2 frames"),
    sdk::refused(name, "f32[2,2,3], i64[2,1]{1,1}, i64[2]{2,-1}, i64[2]{1,1}", TENON_E_DATA,
                 "input_lengths[1] is -1"),
    sdk::refused(name, "f32[2,1,3], i64[1,1]{1}, i64[1]{2}, i64[1]{2}", TENON_E_DATA,
                 "target_lengths[0] is 2, outside the 1 targets of a row"),
    sdk::refused(name, "f32[2,1,3], i64[1,1]{1}, i64[1]{2}, i64[1]{-1}", TENON_E_DATA,
                 "target_lengths[0] is -1"),
    sdk::refused(name, "f32[2,2,3], i64[2]{1,1}, i64[2]{2,2}, i64[2]{1,2}", TENON_E_DATA,
                 "target_lengths[1] is 2, outside the 1 targets that are left"),
    sdk::refused(name, "f32[2,2,3], i64[3]{1,1,1}, i64[2]{2,2}, i64[2]{1,1}", TENON_E_DATA,
                 "do not add up to the number of targets"),
    sdk::refused(name, "f32[2,2,3], i64[2,2]{1,1,1,0}, i64[2]{2,2}, i64[2]{2,2}", TENON_E_DATA,
                 "targets[1,1] is 0, which is the blank"),
    sdk::refused(name, "f32[2,1,3], i64[2]{1,3}, i64[1]{2}, i64[1]{2}", TENON_E_DATA,
                 "targets[1] is 3, which is not a class"),
    sdk::refused(name, "f32[2,1,3], i64[1,1]{-1}, i64[1]{2}, i64[1]{1}", TENON_E_DATA,
                 "targets[0,0] is -1, which is not a class"),
    sdk::refused(name, "f32[2,1,3], i64[1,1]{1}, i64[1]{2}, i64[1]{1} | blank=3", TENON_E_ATTRIBUTE,
                 "blank is not a class"),
    sdk::refused(name, "f32[2,1,3], i64[1,1]{1}, i64[1]{2}, i64[1]{1} | blank=-1",
                 TENON_E_ATTRIBUTE, "blank is not a class"),
    sdk::refused(name, "f32[2,1,0], i64[1,1]{1}, i64[1]{2}, i64[1]{1}", TENON_E_SHAPE,
                 "log_probs has no classes"),
    sdk::refused(name, "f32[2,2,3], i64[1,1]{1}, i64[2]{2,2}, i64[2]{1,1}", TENON_E_SHAPE,
                 "targets must have a row for each sequence"),
    sdk::refused(name, "f32[2,1,3], 1, i64[1]{2}, i64[1]{1}", TENON_E_SHAPE,
                 "targets must have a row for each sequence"),
    sdk::refused(name, "f32[2,3], i64[2,1]{1,1}, i64[2]{2,2}, i64[2]{1,1}", TENON_E_SHAPE,
                 "log_probs"),
    sdk::refused(name, "f32[2,2,3], i64[2,1]{1,1}, i64[1]{2}, i64[2]{1,1}", TENON_E_SHAPE,
                 "input_lengths"),
    sdk::refused(name, "f32[2,2,3], i64[2,1]{1,1}, i64[2]{2,2}, i64[3]{1,1,1}", TENON_E_SHAPE,
                 "target_lengths"),
    sdk::refused(name, "f32[2,1,3], i64[1,1]{1}, 2, i64[1]{1}", TENON_E_SHAPE,
                 "input_lengths must have 1 dimension"),
    sdk::refused(name, "f32[2,1,3], i64[1,1]{1}, i64[1]{2}, 1", TENON_E_SHAPE,
                 "target_lengths must have 1 dimension"),
    sdk::refused(name, "f32[2,1,3], i32[1,1]{1}, i64[1]{2}, i64[1]{1}", TENON_E_DTYPE, "targets"),
    sdk::refused(name, "f16[2,1,3], i64[1,1]{1}, i64[1]{2}, i64[1]{1}", TENON_E_DTYPE, "f16"),
    sdk::refused(name, "f32[2,1,3], i64[1,1]{1}, i64[1]{2}", TENON_E_ARGUMENT,
                 "number of operands"),
};

constexpr std::string_view reason =
    "Logarithms of sums of powers, frame after frame, each rounded.";
constexpr tenon_tolerance tolerances[] = {
    sdk::tolerance({name, TENON_DTYPE_F32, 4, 2e-06, reason}),
    sdk::tolerance({name, TENON_DTYPE_F64, 4, 4e-15, reason}),
};

}  // namespace

TENON_UNIT(ctc_nll) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
