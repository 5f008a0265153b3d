// SPDX-License-Identifier: Apache-2.0
// plugins/schedules/cosine.cc: from the base value to the least one along a cosine, once or again
// and again.
//
//   value(t) = minimum + (base - minimum) * (1 + cos(pi * u / period)) / 2
//
// where u is the number of the step; with restarts, the number since the last restart, and the
// period is `growth` times as long after each. Without restarts the value stays at the least one.
//
// Source: I. Loshchilov, F. Hutter, "SGDR: stochastic gradient descent with warm restarts",
// ICLR 2017, equation 5; torch.optim.lr_scheduler.CosineAnnealingLR (up to its period) and
// CosineAnnealingWarmRestarts.
#include "schedule.hpp"

namespace {

using namespace tenon::schedules;

enum Hyper : uint32_t { kPeriod, kMinimum, kRestarts, kGrowth };

// How far a period has come, from 0 to 1.
double share_of(const Step& step) {
  double period = step.whole(kPeriod);
  const double growth = step.whole(kGrowth);
  double since = step.number();
  if (!step.flag(kRestarts)) return std::fmin(since / period, 1);
  if (growth == 1) return std::fmod(since, period) / period;
  while (since >= period && std::isfinite(since)) {
    since -= period;
    period *= growth;
  }
  return since / period;
}

double value_of(const Step& step) {
  return along_cosine(step.base, step.real(kMinimum), share_of(step));
}

constexpr tenon_hyper_desc kHypers[] = {
    required(whole("period", "steps from the base value to the least one", 1, 1)),
    real("minimum", "the least value", 0), flag("restarts", "begin again after each period", false),
    whole("growth", "how many times as long each next period is", 1, 1)};

constexpr tenon_schedule_desc kSchedules[] = {schedule(
    "tenon.cosine",
    "From the base value to `minimum` along half a cosine in `period` steps; then it stays "
    "there, or with `restarts` begins again, each time `growth` times as slowly. As "
    "torch.optim.lr_scheduler.CosineAnnealingLR and CosineAnnealingWarmRestarts.",
    kHypers, {&kStep, 1}, advance<value_of>)};

}  // namespace

TENON_UNIT(cosine) = {.schedules = kSchedules};
