// SPDX-License-Identifier: Apache-2.0
// backends/common/alignments.h: labels and lengths of ctc_nll, read in host memory and checked.
//
// The states of a sequence of L labels are blank, label 0, blank, label 1, ..., blank: 2 L + 1.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/loops.hpp>
#include <tenon/sdk/plugin/place.hpp>

#include <string>

namespace tenon::backends {

using AlignmentTypes = sdk::TypeList<float, double>;
inline constexpr tenon_dtype kAlignmentDtypes[] = {TENON_DTYPE_F32, TENON_DTYPE_F64};
enum AlignmentAttribute : uint32_t { kBlank, kZeroInfinity, kAlignmentAttributes };

// A sequence of the batch.
struct Labelling {
  int64_t frames;
  int64_t labels;
  int64_t first;  // its first label among all

  int64_t states() const { return 2 * labels + 1; }
};

class Alignments {
 public:
  // Slot `first` is log_probs; targets and the two lengths follow. Refuses what does not fit.
  Alignments(const sdk::Args& args, uint32_t first)
      : frames_(args.shape(first)[0]),
        batch_(args.shape(first)[1]),
        classes_(args.shape(first)[2]),
        blank_(args.attrs.integer(kBlank)),
        targets_(args.view(first + 1)),
        labels_(sdk::strided(targets_)),
        input_lengths_(sdk::strided(args.view(first + 2))),
        target_lengths_(sdk::strided(args.view(first + 3))) {
    check_lengths();
    for_each_sequence([&](int64_t, const Labelling& sequence) { check_labels(sequence); });
  }

  bool is_joined() const { return targets_.rank == 1; }

  // Of state `s` of a sequence: the class it emits.
  int64_t state_class(const Labelling& sequence, int64_t s) const {
    return s % 2 == 0 ? blank_ : label(sequence.first + s / 2);
  }
  // May state `s` follow s - 2, that is, leave out the blank between two labels that differ?
  bool may_skip(const Labelling& sequence, int64_t s) const {
    return s % 2 == 1 &&
           (s == 1 || label(sequence.first + s / 2) != label(sequence.first + s / 2 - 1));
  }

  // body(b, sequence) for sequences [begin, end) of the batch.
  template <class Body>
  void for_sequences(int64_t begin, int64_t end, const Body& body) const {
    int64_t first = 0;
    for (int64_t b = 0; is_joined() && b < begin; ++b) first += at(target_lengths_, b);
    for (int64_t b = begin; b < end; ++b) {
      const int64_t labels = at(target_lengths_, b);
      body(b,
           Labelling{at(input_lengths_, b), labels, is_joined() ? first : b * targets_.shape[1]});
      first += labels;
    }
  }
  template <class Body>
  void for_each_sequence(const Body& body) const {
    for_sequences(0, batch_, body);
  }

 private:
  static int64_t at(const sdk::Strided& numbers, int64_t b) {
    return sdk::load<int64_t>(numbers.data + b * numbers.step[0]);
  }
  int64_t label(int64_t i) const {
    if (is_joined()) return at(labels_, i);
    const int64_t width = targets_.shape[1];
    return sdk::load<int64_t>(labels_.data + i / width * labels_.step[0] +
                              i % width * labels_.step[1]);
  }

  void check_lengths() const {
    const int64_t labels = targets_.shape[is_joined() ? 0 : 1];
    int64_t total = 0;
    for (int64_t b = 0; b < batch_; ++b) {
      need_length("input_lengths", at(input_lengths_, b), b, frames_, "frames of log_probs");
      need_length("target_lengths", at(target_lengths_, b), b, labels - (is_joined() ? total : 0),
                  is_joined() ? "targets that are left" : "targets of a row");
      total += at(target_lengths_, b);
    }
    if (!is_joined() || total == labels) return;
    throw sdk::Failure{TENON_E_DATA,
                       "target_lengths do not add up to the number of targets",
                       "target_lengths",
                       "a sum of " + std::to_string(labels),
                       std::to_string(total),
                       "targets without rows are those of all sequences, one after another"};
  }
  static void need_length(const char* operand, int64_t length, int64_t b, int64_t limit,
                          const char* of_what) {
    if (length >= 0 && length <= limit) return;
    throw sdk::Failure{TENON_E_DATA,
                       std::string(operand) + "[" + std::to_string(b) + "] is " +
                           std::to_string(length) + ", outside the " + std::to_string(limit) + " " +
                           of_what,
                       operand,
                       "a number from 0 to " + std::to_string(limit),
                       std::to_string(length),
                       ""};
  }
  void check_labels(const Labelling& sequence) const {
    for (int64_t i = sequence.first; i < sequence.first + sequence.labels; ++i) {
      const int64_t found = label(i);
      if (found >= 0 && found < classes_ && found != blank_) continue;
      throw sdk::Failure{
          TENON_E_DATA,
          sdk::place_in("targets", sdk::shape_of(targets_), i) + " is " + std::to_string(found) +
              (found == blank_ ? ", which is the blank" : ", which is not a class"),
          "targets",
          "0 <= class < " + std::to_string(classes_) + ", not the blank " + std::to_string(blank_),
          std::to_string(found),
          "what follows the first target_lengths[b] targets of a row is not read"};
    }
  }

  int64_t frames_;
  int64_t batch_;
  int64_t classes_;
  int64_t blank_;
  const tenon_view& targets_;
  sdk::Strided labels_;
  sdk::Strided input_lengths_;
  sdk::Strided target_lengths_;
};

}  // namespace tenon::backends
