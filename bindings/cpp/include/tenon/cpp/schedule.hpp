// SPDX-License-Identifier: Apache-2.0
// tenon/cpp/schedule.hpp: schedules of the registry.
#ifndef TENON_CPP_SCHEDULE_HPP
#define TENON_CPP_SCHEDULE_HPP

#include <tenon/ext/draft/schedules.h>
#include <tenon/cpp/values.hpp>

namespace tenon {

// One number for each step, which the program passes on: adam.set("lr", schedule.next()).
class Schedule {
 public:
  Schedule(std::string_view name, double base_value, const Options& options = {}) {
    detail::State& state = detail::state();
    const detail::OptionLists lists(options);
    tenon_schedule* made = nullptr;
    state.check(tenon_schedule_create(state.handle, name.data(), name.size(), base_value,
                                      lists.names.data(), lists.values.data(), lists.n, &made));
    owned_.reset(made);
  }
  // The value of the next step; `metric` is what was measured in the step before.
  double next(std::optional<double> metric = {}) {
    detail::State& state = detail::state();
    double value = 0;
    state.check(
        tenon_schedule_run(state.handle, owned_.get(), metric ? &*metric : nullptr, &value));
    return value;
  }
  double state(std::string_view name) const {
    detail::State& state = detail::state();
    double value = 0;
    state.check(
        tenon_schedule_get_state(state.handle, owned_.get(), name.data(), name.size(), &value));
    return value;
  }
  void set_state(std::string_view name, double value) {
    detail::State& state = detail::state();
    state.check(
        tenon_schedule_set_state(state.handle, owned_.get(), name.data(), name.size(), value));
  }
  tenon_schedule* handle() const { return owned_.get(); }

 private:
  detail::Owned<tenon_schedule, tenon_schedule_release> owned_;
};

}  // namespace tenon

#endif  // TENON_CPP_SCHEDULE_HPP
