// SPDX-License-Identifier: Apache-2.0
// plugins/schedules/linear_warmup.cc: a straight line from a share of the base value to another.
//
//   value(t) = base * (start_factor + (end_factor - start_factor) * min(t, steps) / steps)
//
// Source: torch.optim.lr_scheduler.LinearLR; P. Goyal et al., "Accurate, large minibatch SGD",
// arXiv:1706.02677, section 2.2.
#include "schedule.hpp"

namespace {

using namespace tenon::schedules;

enum Hyper : uint32_t { kSteps, kStart, kEnd };

double value_of(const Step& step) {
  const double share = std::fmin(step.number(), step.whole(kSteps)) / step.whole(kSteps);
  const double start = step.real(kStart);
  return step.base * (start + (step.real(kEnd) - start) * share);
}

constexpr tenon_hyper_desc kHypers[] = {
    required(whole("steps", "the step from which the value stays", 1, 1)),
    real("start_factor", "share of the base value in step 0", 1.0 / 3),
    real("end_factor", "share of the base value in the end", 1)};

constexpr tenon_schedule_desc kSchedules[] = {
    schedule("tenon.linear_warmup",
             "A straight line from `start_factor` times the base value in step 0 to `end_factor` "
             "times it in step `steps`, which then stays. As torch.optim.lr_scheduler.LinearLR.",
             kHypers, {&kStep, 1}, advance<value_of>)};

}  // namespace

TENON_UNIT(linear_warmup) = {.schedules = kSchedules};
