// SPDX-License-Identifier: Apache-2.0
// plugins/schedules/plateau.cc: the base value, made smaller when what is measured gets better no
// more.
//
// A metric is better than the best one so far where it lies beyond it by the threshold: a share of
// the best one, or an absolute distance. After more than `patience` metrics in a row that were not:
//
//   value = max(value * factor, minimum)   where that changes it by more than smallest_change
//
// and the next `cooldown` metrics are not counted as bad. NaN is never better. A step without a
// metric counts nothing.
//
// Source: torch.optim.lr_scheduler.ReduceLROnPlateau.
#include "schedule.hpp"

namespace {

using namespace tenon::schedules;

enum Hyper : uint32_t {
  kFactor,
  kPatience,
  kThreshold,
  kRelative,
  kMaximize,
  kCooldown,
  kMinimum,
  kSmallestChange
};
enum State : uint32_t { kNumber, kValue, kBest, kBad, kCooling };

bool is_better(const Step& step, double metric) {
  const double best = step.states[kBest], threshold = step.real(kThreshold);
  const bool maximize = step.flag(kMaximize);
  if (step.flag(kRelative)) {
    return maximize ? metric > best * (1 + threshold) : metric < best * (1 - threshold);
  }
  return maximize ? metric > best + threshold : metric < best - threshold;
}

void consider(const Step& step, double metric) {
  double* states = step.states;
  if (is_better(step, metric)) {
    states[kBest] = metric;
    states[kBad] = 0;
  } else {
    states[kBad] += 1;
  }
  if (states[kCooling] > 0) {
    states[kCooling] -= 1;
    states[kBad] = 0;
  }
  if (states[kBad] <= step.whole(kPatience)) return;
  const double next = std::fmax(states[kValue] * step.real(kFactor), step.real(kMinimum));
  if (states[kValue] - next > step.real(kSmallestChange)) states[kValue] = next;
  states[kCooling] = step.whole(kCooldown);
  states[kBad] = 0;
}

double value_of(const Step& step) {
  if (step.number() == 0) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    step.states[kValue] = step.base;
    step.states[kBest] = step.flag(kMaximize) ? -infinity : infinity;
  }
  if (step.metric) consider(step, *step.metric);
  return step.states[kValue];
}

constexpr tenon_schedule_state_desc kStates[] = {
    kStep,
    {str("value"), str("the value now"), 0},
    {str("best"), str("the best metric so far; infinite before the first"), 0},
    {str("bad"), str("metrics in a row that were not better"), 0},
    {str("cooling"), str("metrics that are still not to count as bad"), 0}};

constexpr tenon_hyper_desc kHypers[] = {
    real("factor", "what the value is multiplied with", 0.1, 0, 1),
    whole("patience", "metrics in a row that may be no better", 10),
    real("threshold", "how much better a metric must be to count", 1e-4),
    flag("relative", "the threshold is a share of the best metric", true),
    flag("maximize", "greater metrics are better", false),
    whole("cooldown", "metrics that do not count after a change", 0),
    real("minimum", "the least value", 0),
    real("smallest_change", "a smaller change is not made", 1e-8)};

constexpr tenon_schedule_desc kSchedules[] = {schedule(
    "tenon.plateau",
    "The base value, multiplied by `factor` when more than `patience` metrics in a row were "
    "no better than the best before. As torch.optim.lr_scheduler.ReduceLROnPlateau.",
    kHypers, kStates, advance<value_of>)};

}  // namespace

TENON_UNIT(plateau) = {.schedules = kSchedules};
