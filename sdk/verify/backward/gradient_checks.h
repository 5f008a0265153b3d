// SPDX-License-Identifier: Apache-2.0
// sdk/verify/backward/gradient_checks.h: what the files of gradient checks share: one call of a
// sample, its reference gradients, and how its cases are told to the recorder.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backward/backward_call.h"
#include "backward/gradient_diagnose.h"
#include "process/work.h"

namespace tenon::verify {

class CallChecks {
 public:
  // `call` is borrowed.
  CallChecks(Work& work, const SampleCall& call, Pass pass)
      : work_(work), call_(call), pass_(std::move(pass)) {}
  CallChecks(const CallChecks&) = delete;
  CallChecks& operator=(const CallChecks&) = delete;

  // gradients.cc: Form::Gradient of an f64 call. Adds to `judged` for each derivative that
  // differences could judge.
  void check_numeric(const Differentiable& differences, uint64_t& judged);
  // gradient_forms.cc: Form::Backward and Form::Poisoned.
  void check_backward();
  void check_poisoned();

 private:
  Case make_case(Form form, const std::vector<Layout>& layouts, const std::string& detail) const;
  // Runs `body` -> std::optional<Finding> as one case.
  template <class Body>
  void each_case(Form form, const std::vector<Layout>& layouts, const std::string& detail,
                 Body&& body) {
    run_case(work_.recorder, make_case(form, layouts, detail), causes::kGradientRefused,
             std::forward<Body>(body));
  }

  const Session& session() const { return work_.subject.session(); }
  Gradients run(const Pass& changed) const { return run_pass(session(), changed, work_.device); }
  const Gradients& reference();  // row-major; run when first asked for
  // All that can be said of a pass without knowing its values.
  std::optional<Finding> problem_of(const Gradients& found);

  std::optional<Finding> numeric_case(const Differentiable& differences, size_t operand,
                                      uint64_t& judged);
  std::optional<Finding> product_case(const Differentiable& differences, uint64_t& judged);
  std::optional<Finding> nan_case(const Differentiable& differences);
  std::optional<Finding> absent_case(const Differentiable& differences, size_t operand);

  void check_layouts();
  void check_mixed();
  void layout_case(const Pass& changed, const std::string& detail);
  void check_subsets();
  void check_outputs();
  void check_dtype();
  void check_other_rule();
  void check_host();
  void check_held();
  std::optional<Finding> unsteady(const Pass& each);
  std::optional<Finding> steady(const Pass& each, const std::optional<Finding>& finding);
  bool is_rounding(const Gradients& expected, const Gradients& found) const;
  std::optional<Finding> judged_by_differences(const std::optional<Finding>& finding,
                                               const std::string& words, const Session& other,
                                               const tenon_device& device);
  std::optional<Finding> subset_case(const std::vector<bool>& wanted);
  std::optional<Array> added_to(const Placed& held, size_t operand) const;
  std::optional<Finding> held_case(size_t operand, Layout layout);
  std::optional<Finding> poisoned_case(bool output, size_t index);

  Work& work_;
  const SampleCall& call_;
  const Pass pass_;
  std::optional<Gradients> reference_;
};

}  // namespace tenon::verify
