// SPDX-License-Identifier: Apache-2.0
// plugins/schedules/step.cc: the base value, made smaller every so many steps.
//
//   value(t) = base * factor^floor(t / period)
//
// Source: torch.optim.lr_scheduler.StepLR.
#include "schedule.hpp"

namespace {

using namespace tenon::schedules;

enum Hyper : uint32_t { kPeriod, kFactor };

double value_of(const Step& step) {
  const double times = std::floor(step.number() / step.whole(kPeriod));
  return step.base * std::pow(step.real(kFactor), times);
}

constexpr tenon_hyper_desc kHypers[] = {
    required(whole("period", "steps from one change to the next", 1, 1)),
    real("factor", "what the value is multiplied with each time", 0.1)};

constexpr tenon_schedule_desc kSchedules[] = {
    schedule("tenon.step",
             "The base value, multiplied by `factor` once more every `period` steps. As "
             "torch.optim.lr_scheduler.StepLR.",
             kHypers, {&kStep, 1}, advance<value_of>)};

}  // namespace

TENON_UNIT(step) = {.schedules = kSchedules};
