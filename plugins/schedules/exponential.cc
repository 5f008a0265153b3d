// SPDX-License-Identifier: Apache-2.0
// plugins/schedules/exponential.cc: the base value, multiplied in every step.
//
//   value(t) = base * factor^t
//
// Source: torch.optim.lr_scheduler.ExponentialLR.
#include "schedule.hpp"

namespace {

using namespace tenon::schedules;

enum Hyper : uint32_t { kFactor };

double value_of(const Step& step) {
  return step.base * std::pow(step.real(kFactor), step.number());
}

constexpr tenon_hyper_desc kHypers[] = {
    required(real("factor", "what the value is multiplied with in each step", 1))};

constexpr tenon_schedule_desc kSchedules[] = {
    schedule("tenon.exponential",
             "The base value, multiplied by `factor` once more in each step. As "
             "torch.optim.lr_scheduler.ExponentialLR.",
             kHypers, {&kStep, 1}, advance<value_of>)};

}  // namespace

TENON_UNIT(exponential) = {.schedules = kSchedules};
