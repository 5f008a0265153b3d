// SPDX-License-Identifier: Apache-2.0
// plugins/ops/loss/ctc_loss.cc: ctc_loss, for sequences whose labels are not aligned with frames.
//
// y = reduction of tenon.ctc_nll; of the mean each is divided by the number of its labels first. A
// composition, whose gradient is that of its ops.
// Sources: A. Graves et al., "Connectionist Temporal Classification", 2006; PyTorch's `ctc_loss`.
#include "loss/alignments.hpp"

namespace {

namespace loss = tenon::loss;
namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.ctc_loss";

constexpr std::string_view doc =
    R"(The connectionist temporal classification loss: the negative logarithm of the probability
that frames give a sequence of labels, whichever frame gives which. `log_probs` [T,B,C] has
log-probabilities of `C` classes, such as those of `tenon.log_softmax` along its last axis, one of
which is the `blank`. `targets` [B,S] has the labels of a sequence in each row, or all labels one
after another in [N]. `input_lengths` [B] and `target_lengths` [B] say how many frames and labels a
sequence has; what lies past them is not read. One sequence may come without the dimension B: [T,C],
[S] and two numbers.

`reduction` "mean" divides each loss by the number of the sequence's labels, or by 1 if there are
none, and takes the mean of the batch; "sum" is their sum, "none" each of them, [B], or [] without
that dimension. A sequence that no alignment gives, as one with fewer frames than labels and
repetitions among them, has a loss of inf, and a gradient of NaN; with `zero_infinity` both are 0. A
length outside of the frames or targets, a target that is the blank and one that is not a class are
refused.

Gradient: that of its composition, `tenon.ctc_nll_grad` for `log_probs`, which is the derivative,
where PyTorch gives one that already has the gradient of a `log_softmax` in it: the gradient of the
logits is the same. The others have none.

Sources: A. Graves, S. Fernandez, F. Gomez, J. Schmidhuber, "Connectionist Temporal Classification",
2006; PyTorch, `ctc_loss`.

Canonical arithmetic: that of `tenon.ctc_nll`, `tenon.div`, `tenon.mean` and `tenon.sum`, in f32 for
f16 and bf16, which are rounded at the end.)";

enum Operand : uint32_t { kLogProbs, kTargets, kInputLengths, kTargetLengths };
enum Attribute : uint32_t { kBlank, kReduction, kZeroInfinity };

void need_lengths(const sdk::Args& args, uint32_t slot, const char* operand,
                  std::span<const int64_t> batch) {
  const std::span<const int64_t> found = args.shape(slot);
  if (std::ranges::equal(found, batch)) return;
  throw sdk::Failure{TENON_E_SHAPE, std::string(operand) + " must have a number for each sequence",
                     operand, sdk::shape_text(batch), sdk::shape_text(found)};
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> log_probs = args.shape(kLogProbs);
  if (log_probs.size() != 2 && log_probs.size() != 3) {
    throw sdk::Failure{TENON_E_SHAPE, "log_probs must have 2 or 3 dimensions", "log_probs",
                       "[T,B,C] or [T,C]", sdk::shape_text(log_probs)};
  }
  loss::need_blank(args, kBlank, log_probs.back());
  const std::span<const int64_t> batch = log_probs.subspan(1, log_probs.size() - 2);
  if (batch.empty()) {
    rules::need_rank(args, kTargets, "targets", 1, "[S]");
  } else {
    loss::need_targets(args.shape(kTargets), batch[0]);
  }
  need_lengths(args, kInputLengths, "input_lengths", batch);
  need_lengths(args, kTargetLengths, "target_lengths", batch);
  loss::set_loss_shape(out[0], loss::reduction_of(args.attrs[kReduction]), batch);
}

// An operand with a batch of one.
tenon_tensor* batched(sdk::Compose& c, sdk::Value x, bool is_batch, int64_t axis) {
  return is_batch ? x.tensor() : c.call("tenon.unsqueeze", {x}, {sdk::Value(std::span(&axis, 1))});
}

void compose(sdk::Compose& c) {
  const tenon_meta log_probs = c.meta(c.in(kLogProbs).tensor());
  const bool is_batch = log_probs.rank == 3;
  const auto lengths = [&](uint32_t slot) {
    return batched(c, loss::wide_operand(c, c.in(slot), TENON_DTYPE_I64), is_batch, 0);
  };
  tenon_tensor* x = loss::wide_operand(c, c.in(kLogProbs), log_probs.dtype);
  tenon_tensor* target_lengths = lengths(kTargetLengths);
  tenon_tensor* result = c.call(
      "tenon.ctc_nll",
      {batched(c, x, is_batch, 1), lengths(kTargets), lengths(kInputLengths), target_lengths},
      {c.attrs[kBlank], c.attrs[kZeroInfinity]});
  const loss::Reduction reduction = loss::reduction_of(c.attrs[kReduction]);
  if (reduction == loss::Reduction::Mean) {
    tenon_tensor* counts = c.call("tenon.maximum", {target_lengths, 1});
    counts = c.call("tenon.cast", {counts}, {sdk::Value::dtype(c.meta(result).dtype)});
    result = c.call("tenon.div", {result, counts});
  }
  if (reduction == loss::Reduction::None && !is_batch) {
    result = rules::reshape(c, result, rules::Dims());
  }
  result = loss::reduced(c, result, reduction);
  c.set(0, rules::rounded_to(c, result, log_probs.dtype));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "ctc_loss(log_probs: T[...], targets: i64[...], input_lengths: i64[...], "
                       "target_lengths: i64[...], *, blank: int=0, reduction: str=\"mean\", "
                       "zero_infinity: bool=false) -> T[...] where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[4,2,3](-3,0), i64[2,2]{1,2,2,1}, i64[2]{4,3}, i64[2]{2,1}"),
    sdk::sample(name,
                "f64[4,2,3](-3,0), i64[2,2]{1,2,2,1}, i64[2]{4,3}, i64[2]{2,1} | "
                "reduction=\"sum\""),
    sdk::sample(name,
                "f64[6,3,4](-3,0), i64[3,3]{0,2,0,1,1,1,2,0,1}, i64[3]{6,6,5}, i64[3]{3,2,3} "
                "| blank=3, reduction=\"none\""),
    sdk::sample(name, "f64[5,3,3](-3,0), i64[3]{1,1,2}, i64[3]{5,4,5}, i64[3]{2,1,0}"),
    sdk::sample(name, "f64[4,3](-3,0), i64[2]{1,1}, i64[]{4}, i64[]{2}"),
    sdk::sample(name, "f64[4,3](-3,0), i64[3]{2,1,7}, i64[]{3}, i64[]{2} | reduction=\"none\""),
    sdk::sample(name, "f64[3,3,3](-3,0), i64[3,2]{1,1,1,2,1,2}, i64[3]{2,1,2}, i64[3]{2,2,2}"),
    sdk::sample(name,
                "f64[3,3,3](-3,0), i64[3,2]{1,1,1,2,1,2}, i64[3]{2,1,2}, i64[3]{2,2,2} | "
                "zero_infinity=true"),
    sdk::sample(name,
                "f64[2,3,2](-3,0), i64[3,1]{1,1,1}, i64[3]{0,0,2}, i64[3]{0,1,1} | "
                "reduction=\"none\""),
    sdk::sample(name, "f64[0,2,2], i64[2,1]{1,1}, i64[2]{0,0}, i64[2]{0,0}"),
    sdk::sample(name, "f64[2,0,3], i64[0,2], i64[0], i64[0]"),
    sdk::sample(name, "f64[2,0,3], i64[0], i64[0], i64[0] | reduction=\"none\""),
    sdk::sample(name, "f32[7,2,5](-9,0), i64[2,3]{4,4,1,3,2,1}, i64[2]{7,6}, i64[2]{3,3}"),
    sdk::sample(name, "f16[5,2,4](-9,0), i64[2,2]{3,1,2,2}, i64[2]{5,4}, i64[2]{2,2}"),
    sdk::sample(name,
                "bf16[3,2,3](-2,0), i64[2,1]{1,2}, i64[2]{3,3}, i64[2]{1,1} | "
                "reduction=\"sum\""),
    sdk::sample(name,
                "f32[2,2,2]{-inf,-1.0,nan,-1.0,-1.0,-1.0,-1.0,-1.0}, i64[2,1]{1,1}, "
                "i64[2]{2,2}, i64[2]{1,1} | reduction=\"none\""),
    sdk::sample(name,
                "f32[1,2,2]{-3e38,-3.4028235e38,-1.1754944e-38,-1e-45}, i64[2,1]{1,1}, "
                "i64[2]{1,1}, i64[2]{1,1} | reduction=\"none\""),
    sdk::sample(name, "f64[1,2]{-1.7976931348623157e308,-5e-324}, i64[0], i64[]{1}, i64[]{0}"),
    sdk::sample(name, "f16[1,2]{-65504.0,-6e-8}, i64[1]{1}, i64[]{1}, i64[]{1}"),
    sdk::sample(name, "bf16[1,2]{-3.39e38,-9.2e-41}, i64[1]{1}, i64[]{1}, i64[]{1}"),
    sdk::refused(name, "f32[2,1,3], i64[1,1]{1}, i64[1]{3}, i64[1]{1}", TENON_E_DATA,
                 "input_lengths[0] is 3, outside the 2 frames"),
    sdk::refused(name, "f32[2,1,3], i64[1,1]{1}, i64[1]{-1}, i64[1]{1}", TENON_E_DATA,
                 "input_lengths[0] is -1"),
    sdk::refused(name, "f32[2,1,3], i64[1,1]{1}, i64[1]{2}, i64[1]{2}", TENON_E_DATA,
                 "target_lengths[0] is 2, outside the 1 targets of a row"),
    sdk::refused(name, "f32[2,3], i64[2]{1,1}, i64[]{2}, i64[]{3}", TENON_E_DATA,
                 "target_lengths[0] is 3, outside the 2 targets of a row"),
    sdk::refused(name, "f32[2,2,3], i64[3]{1,1,1}, i64[2]{2,2}, i64[2]{1,1}", TENON_E_DATA,
                 "do not add up to the number of targets"),
    sdk::refused(name, "f32[2,1,3], i64[1,1]{0}, i64[1]{2}, i64[1]{1}", TENON_E_DATA,
                 "targets[0,0] is 0, which is the blank"),
    sdk::refused(name, "f32[2,1,3], i64[1,1]{3}, i64[1]{2}, i64[1]{1}", TENON_E_DATA,
                 "targets[0,0] is 3, which is not a class"),
    sdk::refused(name, "f32[2,1,3], i64[1,1]{-1}, i64[1]{2}, i64[1]{1}", TENON_E_DATA,
                 "targets[0,0] is -1, which is not a class"),
    sdk::refused(name, "f32[2,1,3], i64[1,1]{1}, i64[1]{2}, i64[1]{1} | blank=3", TENON_E_ATTRIBUTE,
                 "blank is not a class"),
    sdk::refused(name, "f32[2,1,3], i64[1,1]{1}, i64[1]{2}, i64[1]{1} | reduction=\"median\"",
                 TENON_E_ATTRIBUTE, "reduction names no way"),
    sdk::refused(name, "f32[2,1,0], i64[1,1]{1}, i64[1]{2}, i64[1]{1}", TENON_E_SHAPE,
                 "log_probs has no classes"),
    sdk::refused(name, "f32[3], i64[1]{1}, i64[]{2}, i64[]{1}", TENON_E_SHAPE,
                 "log_probs must have 2 or 3 dimensions"),
    sdk::refused(name, "f32[2,2,3], i64[1,1]{1}, i64[2]{2,2}, i64[2]{1,1}", TENON_E_SHAPE,
                 "targets must have a row for each sequence"),
    sdk::refused(name, "f32[2,3], i64[1,1]{1}, i64[]{2}, i64[]{1}", TENON_E_SHAPE,
                 "targets must have 1 dimension"),
    sdk::refused(name, "f32[2,2,3], i64[2,1]{1,1}, i64[1]{2}, i64[2]{1,1}", TENON_E_SHAPE,
                 "input_lengths must have a number for each sequence"),
    sdk::refused(name, "f32[2,2,3], i64[2,1]{1,1}, i64[2]{2,2}, 1", TENON_E_SHAPE,
                 "target_lengths must have a number for each sequence"),
    sdk::refused(name, "f32[2,1,3], i32[1,1]{1}, i64[1]{2}, i64[1]{1}", TENON_E_DTYPE, "targets"),
    sdk::refused(name, "i32[2,1,3], i64[1,1]{1}, i64[1]{2}, i64[1]{1}", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[2,1,3], i64[1,1]{1}, i64[1]{2}", TENON_E_ARGUMENT,
                 "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "Logarithms of sums of powers, frame after frame, each rounded; then a sum.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {4, 4e-06}, .f64 = {4, 8e-15}});

}  // namespace

TENON_UNIT(ctc_loss) = {.ops = ops, .samples = samples, .tolerances = tolerances};
