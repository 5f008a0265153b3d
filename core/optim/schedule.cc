// SPDX-License-Identifier: Apache-2.0
// core/optim/schedule.cc: schedule objects.
#include "core/optim/schedule.h"

#include <algorithm>
#include <cmath>

#include "core/runtime/callback.h"

namespace tenon::optim {

namespace {

HyperDescs hyper_descs(const tenon_schedule_desc& desc) { return {desc.hypers, desc.n_hypers}; }

void check_required(const registry::Entry& kind, std::span<const NamedValue> given) {
  for (const tenon_hyper_desc& hyper : hyper_descs(kind.as<tenon_schedule_desc>())) {
    if ((hyper.flags & TENON_HYPER_REQUIRED) == 0) continue;
    const std::string_view name = registry::text_view(hyper.name);
    const bool is_given =
        std::ranges::any_of(given, [&](const NamedValue& value) { return value.first == name; });
    if (is_given) continue;
    fail_in(kind.name, TENON_E_ATTRIBUTE,
            "hyper-parameter \"" + std::string(name) + "\" is required", std::string(name),
            registry::tag_name(hyper.tag), "none");
  }
}

}  // namespace

Schedule::Schedule(Context& context, const registry::Entry& kind, double base_value,
                   std::span<const NamedValue> values)
    : KindObject(context, kind),
      hypers_(read_hypers(kind.name, hyper_descs(kind.as<tenon_schedule_desc>()), values)),
      base_value_(base_value) {
  check_required(kind, values);
  if (!std::isfinite(base_value)) {
    fail_in(kind.name, TENON_E_ARGUMENT, "the base value is not finite", "base_value",
            "a finite number", std::to_string(base_value));
  }
  for (uint32_t i = 0; i < desc().n_states; ++i) states_.push_back(desc().states[i].initial);
  std::vector<double> tried = states_;
  advance(context, tried, nullptr);
}

size_t Schedule::state_index(std::string_view name) const {
  const std::span<const tenon_schedule_state_desc> states(desc().states, desc().n_states);
  return find_named(kind_->name, states, name, "state", TENON_E_NOT_FOUND);
}

double Schedule::advance(Context& context, std::vector<double>& states,
                         const double* metric) const {
  require_active(*kind_->plugin, kind_->name);
  CallbackScope call(context, CallbackState::Infer, kind_->plugin, nullptr);
  double value = 0;
  call.run_as(kind_->name, "advance", [&](tenon_call* window) {
    return desc().advance(window, hypers_.values().data(), states.data(), base_value_, metric,
                          &value);
  });
  return value;
}

double Schedule::run(Context& context, const double* metric) {
  std::vector<double> next = states_;
  const double value = advance(context, next, metric);
  states_ = std::move(next);
  return value;
}

}  // namespace tenon::optim
