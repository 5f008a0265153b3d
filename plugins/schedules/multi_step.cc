// SPDX-License-Identifier: Apache-2.0
// plugins/schedules/multi_step.cc: the base value, made smaller at given steps.
//
//   value(t) = base * factor^n   where n milestones are t or less
//
// Source: torch.optim.lr_scheduler.MultiStepLR.
#include "schedule.hpp"

namespace {

using namespace tenon::schedules;

enum Hyper : uint32_t { kMilestones, kFactor };

double value_of(const Step& step) {
  double passed = 0;
  for (const int64_t milestone : step.list(kMilestones)) {
    if (static_cast<double>(milestone) <= step.number()) passed += 1;
  }
  return step.base * std::pow(step.real(kFactor), passed);
}

constexpr tenon_hyper_desc kHypers[] = {
    required({str("milestones"), str("steps at which the value changes, in any order"), 0,
              TENON_VALUE_INT_LIST, 0, 0, kMaxSteps}),
    real("factor", "what the value is multiplied with each time", 0.1)};

constexpr tenon_schedule_desc kSchedules[] = {
    schedule("tenon.multi_step",
             "The base value, multiplied by `factor` once more from each milestone on; one that is "
             "listed twice counts twice. As torch.optim.lr_scheduler.MultiStepLR.",
             kHypers, {&kStep, 1}, advance<value_of>)};

}  // namespace

TENON_UNIT(multi_step) = {.schedules = kSchedules};
