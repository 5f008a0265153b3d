// SPDX-License-Identifier: Apache-2.0
// core/optim/schedule.h: a schedule object: hyper-parameters, named state, and the plugin's rule
// that gives one number a step. Knows no rule and no optimizer.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/optim/hypers.h"
#include "core/registry/values.h"
#include "core/runtime/kind_object.h"

namespace tenon::optim {

class Schedule : public KindObject<tenon_schedule_desc> {
 public:
  // Throws Error if a value does not fit; tries the first step.
  Schedule(Context& context, const registry::Entry& kind, double base_value,
           std::span<const NamedValue> values);

  // The next step's value; if that fails the state stays as it was.
  double run(Context& context, const double* metric);
  double state(std::string_view name) const { return states_[state_index(name)]; }
  void set_state(std::string_view name, double value) { states_[state_index(name)] = value; }
  std::span<const tenon_schedule_state_desc> state_descs() const {
    return {desc().states, desc().n_states};
  }

 private:
  size_t state_index(std::string_view name) const;
  double advance(Context& context, std::vector<double>& states, const double* metric) const;

  registry::ValueStore hypers_;
  std::vector<double> states_;
  double base_value_;
};

}  // namespace tenon::optim
