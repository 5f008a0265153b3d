// SPDX-License-Identifier: Apache-2.0
// plugins/ops/loss/alignments.hpp: what ctc_loss, ctc_nll and its gradient ask of their operands.
#pragma once

#include "loss/reduction.hpp"

namespace tenon::loss {

inline void need_blank(const sdk::Args& args, uint32_t attribute, int64_t classes) {
  if (classes == 0) {
    throw sdk::Failure{TENON_E_SHAPE, "log_probs has no classes",
                       "log_probs",   "1 or more along the last axis",
                       "0",           "the blank is one of them"};
  }
  const int64_t blank = args.attrs.integer(attribute);
  if (blank >= 0 && blank < classes) return;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "blank is not a class", "blank",
                     "0 <= class < " + std::to_string(classes), std::to_string(blank)};
}

// Targets with a row for each sequence, or those of all of them joined.
inline void need_targets(std::span<const int64_t> targets, int64_t batch) {
  if (targets.size() == 1 || (targets.size() == 2 && targets[0] == batch)) return;
  throw sdk::Failure{TENON_E_SHAPE, "targets must have a row for each sequence, or be joined",
                     "targets", "[" + std::to_string(batch) + ",S], or [N] with those of all",
                     sdk::shape_text(targets)};
}

// Operands from `first` on: log_probs [F,B,C], targets [B,S] or [N], and two lengths [B].
inline void need_alignments(const sdk::Args& args, uint32_t first) {
  rules::need_rank(args, first, "log_probs", 3, "[F,B,C]");
  const std::span<const int64_t> log_probs = args.shape(first);
  need_blank(args, 0, log_probs[2]);
  need_targets(args.shape(first + 1), log_probs[1]);
  rules::need_rank(args, first + 2, "input_lengths", 1, "[B]");
  rules::need_rank(args, first + 3, "target_lengths", 1, "[B]");
}

}  // namespace tenon::loss
