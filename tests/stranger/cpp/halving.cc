// SPDX-License-Identifier: Apache-2.0
// tests/stranger/cpp/halving.cc: the schedule acme.halving: the base value, halved
// every `every` steps.
#include <tenon/sdk/plugin/plugin.hpp>

#include <cmath>
#include <iterator>

namespace {

namespace sdk = tenon::sdk;

tenon_status advance(tenon_call*, const tenon_value* hypers, double* states, double base_value,
                     const double*, double* out_value) {
  const auto every = static_cast<double>(hypers[0].as.i64);
  *out_value = base_value * std::exp2(-std::floor(states[0] / every));
  states[0] += 1;
  return TENON_OK;
}

constexpr tenon_hyper_desc hypers[] = {{sdk::str("every"),
                                        sdk::str("steps from one halving to the next"), 0,
                                        TENON_VALUE_I64, 10, 1, 1e9}};
constexpr tenon_schedule_state_desc states[] = {{sdk::str("step"), sdk::str("steps made"), 0}};
constexpr tenon_schedule_desc schedules[] = {
    {sizeof(tenon_schedule_desc), 0, sdk::str("acme.halving"),
     sdk::str("The base value, halved every `every` steps."), hypers, states, std::size(hypers),
     std::size(states), advance}};

}  // namespace

TENON_UNIT(halving) = {.schedules = schedules};
