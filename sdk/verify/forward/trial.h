// SPDX-License-Identifier: Apache-2.0
// sdk/verify/forward/trial.h: runs one case of the forward forms and compares it with the row-major
// results of the same kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "case/case.h"
#include "case/sample_call.h"
#include "process/work.h"

namespace tenon::verify {

// What was wrong with a case.
struct Fault {
  enum class Kind : uint8_t { Refused, Meta, Values, Holes, Beyond, InputChanged };
  Kind kind = Kind::Values;
  bool output = false;  // else an operand
  size_t index = 0;     // which output, or which of the call's arrays
  std::string words;
  tenon_status status = TENON_OK;        // Refused
  std::string message, operand;          // Refused: of the error record
  std::optional<Difference> difference;  // Values, Meta; of an output also Holes, Beyond
  Array found;                           // Values, Meta
};

// All trials of one call on one backend.
class Trials {
 public:
  Trials(Work& work, const SampleCall& call);

  Work& work() const { return work_; }
  const SampleCall& call() const { return call_; }
  size_t n_outputs();  // as of the row-major results

  // Row-major results in the returned form. Runs the call the first time.
  const Outcome& base();
  // The bits of `outcome`'s kernel may not depend on layouts and forms.
  bool exact();
  // Does a launch of the call count as safe to capture? Even if no kernel runs.
  bool capture_safe();
  bool composes();  // the composition runs

  // A case of this call. `outputs` is empty for forms whose outputs are not given.
  Case make(Form form, std::vector<Layout> inputs, const std::vector<Layout>& outputs = {},
            const std::string& detail = "") const;

  std::optional<Fault> run(const Case& each);
  // `expected` in place of the row-major results.
  std::optional<Fault> run_against(const Case& each, const Outcome& expected);

  std::string name_of_operand(bool output, size_t index) const;

 private:
  struct Run;
  Run run_of(const Case& each);
  std::optional<Fault> run_returned(Run& run);
  std::optional<Fault> run_out(Run& run);
  std::optional<Fault> run_in_place(Run& run);
  std::optional<Fault> run_recorded(Run& run);
  std::optional<Fault> run_replayed(Run& run);
  std::optional<Fault> run_aliased(Run& run);
  std::optional<Fault> run_same(Run& run, size_t first, size_t second);
  std::optional<Fault> run_overlapping(Run& run, size_t first, size_t second);
  std::optional<Fault> run_onto_input(Run& run, size_t input, int64_t output_at);

  const Outcome& expected_for(Run& run, const Bound& bound);
  std::optional<Fault> refused(Run& run, tenon_status status, const Outcome& expected);
  std::optional<Fault> check_results(const Run& run, const Outcome& expected,
                                     const std::vector<Array>& outputs, const Bound& bound);
  std::optional<Fault> differs(const Run& run, bool output, size_t index, const Array& expected,
                               const Array& found);
  Fault outside_of(bool output, size_t index, Touched touched) const;
  const Json& explanation();
  std::vector<tenon_device> output_devices(const Run& run, size_t count);

  Work& work_;
  const SampleCall& call_;
  std::optional<Outcome> base_;
  std::optional<Json> explanation_;
};

}  // namespace tenon::verify
