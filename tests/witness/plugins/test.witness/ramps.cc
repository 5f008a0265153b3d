// SPDX-License-Identifier: Apache-2.0
// tests/witness/plugins/test.witness/ramps.cc: schedules that should all be the same: the value of
// step i is base * (1 - i / steps), and 0 from there on. Each is wrong in a way of its own.
#include <algorithm>
#include <limits>

#include "faults.h"

namespace {

using namespace witness;

enum Fault : uint32_t { kFormula, kNotFinite, kShared, kOneTooFar, kAccepts, kFaults };
constexpr std::string_view kNames[kFaults] = {
    "test.witness.ramp_formula", "test.witness.ramp_not_finite", "test.witness.ramp_shared",
    "test.witness.ramp_too_far", "test.witness.ramp_accepts"};

template <uint32_t F>
tenon_status advance(tenon_call* call, const tenon_value* hypers, double* states, double base,
                     const double*, double* out_value) {
  static double shared = 0;  // of all schedules
  double& step = states[0];
  const auto steps = static_cast<double>(hypers[0].as.i64);
  const bool odd = hypers[0].as.i64 % 2 != 0;
  if (odd && !(is_wrong() && F == kAccepts)) {
    return sdk::guarded(call, [] { throw sdk::Failure{TENON_E_ATTRIBUTE, "steps must be even"}; });
  }
  const double shift = is_wrong() && F == kOneTooFar ? 1 : 0;
  double part = std::max(0.0, 1 - (step + shift) / steps);
  if (is_wrong() && F == kFormula) part *= part;
  if (is_wrong() && F == kNotFinite && step == 7) part = std::numeric_limits<double>::quiet_NaN();
  if (is_wrong() && F == kShared) part += 1e-6 * shared++;
  *out_value = base * part;
  step += 1;
  return TENON_OK;
}

constexpr tenon_hyper_desc hypers[] = {{sdk::str("steps"), sdk::str("how many there are"),
                                        TENON_HYPER_REQUIRED, TENON_VALUE_I64, 1, 1, 1e9}};
constexpr tenon_schedule_state_desc states[] = {{sdk::str("step"), sdk::str("the next one"), 0}};

template <uint32_t... F>
constexpr auto schedules_of(std::integer_sequence<uint32_t, F...>) {
  return std::array{tenon_schedule_desc{sizeof(tenon_schedule_desc), 0, sdk::str(kNames[F]),
                                        sdk::str("A ramp down to zero."), hypers, states,
                                        std::size(hypers), std::size(states), advance<F>}...};
}
constexpr auto schedules = schedules_of(std::make_integer_sequence<uint32_t, kFaults>());

}  // namespace

TENON_UNIT(ramps) = {.schedules = schedules};
