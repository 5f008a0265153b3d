// SPDX-License-Identifier: Apache-2.0
// plugins/schedules/constant.cc: the base value, scaled for a while.
//
//   value(t) = factor * base while t < steps, else base
//
// Source: torch.optim.lr_scheduler.ConstantLR.
#include "schedule.hpp"

namespace {

using namespace tenon::schedules;

enum Hyper : uint32_t { kFactor, kSteps };

double value_of(const Step& step) {
  return step.number() < step.whole(kSteps) ? step.base * step.real(kFactor) : step.base;
}

constexpr tenon_hyper_desc kHypers[] = {
    real("factor", "what the base value is multiplied with at first", 1),
    whole("steps", "how many steps it is multiplied in", 0)};

constexpr tenon_schedule_desc kSchedules[] = {
    schedule("tenon.constant",
             "The base value; in the first `steps` steps multiplied by `factor`. As "
             "torch.optim.lr_scheduler.ConstantLR.",
             kHypers, {&kStep, 1}, advance<value_of>)};

}  // namespace

TENON_UNIT(constant) = {.schedules = kSchedules};
