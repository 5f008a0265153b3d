// SPDX-License-Identifier: Apache-2.0
// plugins/schedules/schedule.hpp: what every schedule shares: its arguments by name, its counter.
//
// Arithmetic: f64; powers, cosines and the like are those of the C library, so that values are
// equal from run to run on one machine and within 1e-12 of each other elsewhere.
#pragma once

#include <tenon/ext/draft/schedules.h>
#include <tenon/sdk/plugin/plugin.hpp>

#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <string>

namespace tenon::schedules {

namespace sdk = tenon::sdk;
using sdk::str;

inline constexpr double kLargest = std::numeric_limits<double>::max();
inline constexpr double kMaxSteps = 9007199254740992;  // 2^53: all of them are exact numbers
inline constexpr double kPi = 3.14159265358979323846;

// One step on its way: state 0 is the number of the step.
struct Step {
  const tenon_value* hypers;
  double* states;
  double base;
  const double* metric;

  double number() const { return states[0]; }
  double real(uint32_t hyper) const { return hypers[hyper].as.f64; }
  double whole(uint32_t hyper) const { return static_cast<double>(hypers[hyper].as.i64); }
  bool flag(uint32_t hyper) const { return hypers[hyper].as.i64 != 0; }
  std::span<const int64_t> list(uint32_t hyper) const {
    return {hypers[hyper].as.ints, hypers[hyper].count};
  }
};

// The callback around a function that gives the value of a step; counts the step.
template <double (*value_of)(const Step&)>
tenon_status advance(tenon_call* call, const tenon_value* hypers, double* states, double base_value,
                     const double* metric, double* out_value) {
  return sdk::guarded(call, [&] {
    *out_value = value_of({hypers, states, base_value, metric});
    states[0] += 1;
  });
}

inline constexpr tenon_schedule_state_desc kStep = {str("step"), str("steps made"), 0};

// From `from` to `to` along half a wave of the cosine; `share` from 0 to 1.
inline double along_cosine(double from, double to, double share) {
  return to + (from - to) * (1 + std::cos(kPi * share)) / 2;
}

constexpr tenon_hyper_desc real(std::string_view name, std::string_view doc, double initial,
                                double minimum = 0, double maximum = kLargest) {
  return {str(name), str(doc), 0, TENON_VALUE_F64, initial, minimum, maximum};
}
constexpr tenon_hyper_desc whole(std::string_view name, std::string_view doc, double initial,
                                 double minimum = 0) {
  return {str(name), str(doc), 0, TENON_VALUE_I64, initial, minimum, kMaxSteps};
}
constexpr tenon_hyper_desc flag(std::string_view name, std::string_view doc, bool initial) {
  return {str(name), str(doc), 0, TENON_VALUE_BOOL, initial ? 1.0 : 0.0, 0, 1};
}
constexpr tenon_hyper_desc required(tenon_hyper_desc hyper) {
  hyper.flags = TENON_HYPER_REQUIRED;
  return hyper;
}

constexpr tenon_schedule_desc schedule(std::string_view name, std::string_view doc,
                                       std::span<const tenon_hyper_desc> hypers,
                                       std::span<const tenon_schedule_state_desc> states,
                                       decltype(tenon_schedule_desc::advance) advance) {
  return {sizeof(tenon_schedule_desc),
          0,
          str(name),
          str(doc),
          hypers.data(),
          states.data(),
          static_cast<uint32_t>(hypers.size()),
          static_cast<uint32_t>(states.size()),
          advance};
}

}  // namespace tenon::schedules
