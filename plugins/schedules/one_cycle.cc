// SPDX-License-Identifier: Apache-2.0
// plugins/schedules/one_cycle.cc: up to the base value and far down again, in a given number of
// steps.
//
// With low = base / start_divisor and end = low / end_divisor, and w = warm_share * steps:
//
//   two phases     low to base until step w - 1, base to end until step `steps` - 1
//   three phases   low to base until w - 1, back to low until 2 w - 2, low to end until `steps` - 1
//
// each along half a cosine, or a straight line.
//
// Source: L. N. Smith, N. Topin, "Super-convergence", arXiv:1708.07120, in the form of
// torch.optim.lr_scheduler.OneCycleLR, whose max_lr is the base value.
#include "schedule.hpp"

namespace {

using namespace tenon::schedules;

enum Hyper : uint32_t { kSteps, kWarmShare, kStartDivisor, kEndDivisor, kThreePhases, kLinear };

constexpr double kSmallest = std::numeric_limits<double>::min();

struct Phase {
  double last;  // its last step
  double from, to;
};

double along(const Phase& phase, double first, const Step& step) {
  const double length = phase.last - first;
  const double share = length == 0 ? 1 : (step.number() - first) / length;
  if (!step.flag(kLinear)) return along_cosine(phase.from, phase.to, share);
  return phase.from + (phase.to - phase.from) * share;
}

void check(const Step& step) {
  if (step.flag(kThreePhases) && step.real(kWarmShare) > 0.5) {
    throw sdk::Failure{TENON_E_ATTRIBUTE,
                       "three phases need a warm_share of at most 0.5",
                       "warm_share",
                       "0 to 0.5",
                       std::to_string(step.real(kWarmShare)),
                       "the second phase is as long as the first"};
  }
  if (step.number() < step.whole(kSteps)) return;
  const std::string steps = std::to_string(step.hypers[kSteps].as.i64);
  throw sdk::Failure{TENON_E_STATE, "the cycle has ended: all of its " + steps + " steps were made",
                     "steps",       "at most " + steps + " steps",
                     "one more",    "create the schedule with as many steps as the training makes"};
}

double value_of(const Step& step) {
  check(step);
  const double steps = step.whole(kSteps), warm = step.real(kWarmShare) * steps;
  const double low = step.base / step.real(kStartDivisor), end = low / step.real(kEndDivisor);
  const bool three = step.flag(kThreePhases);
  const Phase up = {warm - 1, low, step.base};
  const Phase back = {2 * warm - 2, step.base, low};
  const Phase down = {steps - 1, three ? low : step.base, end};
  if (step.number() <= up.last) return along(up, 0, step);
  if (!three) return along(down, up.last, step);
  return step.number() <= back.last ? along(back, up.last, step) : along(down, back.last, step);
}

constexpr tenon_hyper_desc kHypers[] = {
    required(whole("steps", "steps of the whole cycle", 1, 1)),
    real("warm_share", "share of the steps in which the value grows", 0.3, 0, 1),
    real("start_divisor", "the base value is so many times the first one", 25, kSmallest),
    real("end_divisor", "the first value is so many times the last one", 1e4, kSmallest),
    flag("three_phases", "back to the first value before it goes down", false),
    flag("linear", "straight lines in place of cosines", false)};

constexpr tenon_schedule_desc kSchedules[] = {schedule(
    "tenon.one_cycle",
    "Grows from a share of the base value to the base value and then falls far below where "
    "it began; a cycle has `steps` steps and no more. As "
    "torch.optim.lr_scheduler.OneCycleLR with the base value as max_lr.",
    kHypers, {&kStep, 1}, advance<value_of>)};

}  // namespace

TENON_UNIT(one_cycle) = {.schedules = kSchedules};
