// SPDX-License-Identifier: Apache-2.0
// sdk/verify/kinds/schedules.cc: schedules: numbers that are finite, the same another time, go on
// from a state that was saved, and are those of a golden file; what must be refused.
#include <tenon/ext/draft/schedules.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "case/oracle.h"
#include "case/sample_call.h"
#include "case/stated_values.h"
#include "kinds/checks.h"
#include "kinds/part_checks.h"

namespace tenon::verify {
namespace {

struct ReleaseSchedule {
  void operator()(tenon_schedule* schedule) const { tenon_schedule_release(schedule); }
};
using Schedule = std::unique_ptr<tenon_schedule, ReleaseSchedule>;
using Numbers = std::vector<double>;

constexpr size_t kSteps = 40;
constexpr double kClose = 1e-12;  // relative: powers and cosines of another library

std::string digits_of(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

struct Stated {
  const Json& json;  // a case of a golden file, or what was made up for lack of one
  const StatedValues hypers;
  double base;
  Numbers metrics;

  Stated(const Json& stated, const std::string& folder)
      : json(stated),
        hypers(stated.value("hypers", Json::object()), folder),
        base(stated.value("base", 1.0)),
        metrics(stated.value("metrics", Numbers())) {}

  // Without any a measurement that gets better, and worse again.
  double metric(size_t step) const {
    if (!metrics.empty()) return metrics[std::min(step, metrics.size() - 1)];
    return std::abs(static_cast<double>(step) - kSteps / 4.0);
  }
};

class ScheduleChecks : PartChecks {
 public:
  ScheduleChecks(Subject& subject, Recorder& recorder, const Json& schedule)
      : PartChecks(subject, recorder, schedule) {
    for (const Json& state : schedule.at("states")) states_.push_back(state.at("name"));
  }

  void check_declared(const Json& schedule);
  void check(uint32_t number, const Stated& stated);
  bool can_create(const Stated& stated) const;
  // Whether any case stated values.
  bool witnessed() const { return witnessed_; }

 private:
  tenon_status create(const Stated& stated, Schedule& out) const;
  Schedule made(const Stated& stated) const;
  // False if it has no further step.
  bool step(const Stated& stated, const Schedule& schedule, size_t number, double& value) const;
  Numbers run(const Stated& stated) const;

  std::optional<Finding> refused(const Stated& stated) const;
  std::optional<Finding> finite(const Stated& stated) const;
  std::optional<Finding> right(const Stated& stated) const;
  std::optional<Finding> repeated(const Stated& stated) const;
  std::optional<Finding> resumed(const Stated& stated) const;

  std::vector<std::string> states_;
  bool witnessed_ = false;
};

tenon_status ScheduleChecks::create(const Stated& stated, Schedule& out) const {
  tenon_schedule* schedule = nullptr;
  const StatedValues& hypers = stated.hypers;
  const tenon_status status = tenon_schedule_create(
      session_.context(), name_.data(), name_.size(), stated.base, hypers.names().data(),
      hypers.values().data(), static_cast<uint32_t>(hypers.values().size()), &schedule);
  out.reset(schedule);
  return status;
}

Schedule ScheduleChecks::made(const Stated& stated) const {
  Schedule schedule;
  session_.check(create(stated, schedule));
  return schedule;
}

bool ScheduleChecks::can_create(const Stated& stated) const {
  Schedule schedule;
  return create(stated, schedule) == TENON_OK;
}

bool ScheduleChecks::step(const Stated& stated, const Schedule& schedule, size_t number,
                          double& value) const {
  const double metric = stated.metric(number);
  const tenon_status status =
      tenon_schedule_run(session_.context(), schedule.get(), &metric, &value);
  if (status == TENON_E_STATE) return false;
  session_.check(status);
  return true;
}

Numbers ScheduleChecks::run(const Stated& stated) const {
  const Schedule schedule = made(stated);
  const size_t steps = std::max(kSteps, stated.json.value("values", Json::array()).size());
  Numbers values;
  double value = 0;
  while (values.size() < steps && step(stated, schedule, values.size(), value)) {
    values.push_back(value);
  }
  return values;
}

void ScheduleChecks::check_declared(const Json& schedule) {
  each_case(0, Form::Declared, "", [&]() -> std::optional<Finding> {
    if (schedule.at("doc").get<std::string>().empty()) {
      return Finding{&causes::kNoDocumentation, "its `doc` is empty"};
    }
    for (const char* list : {"hypers", "states"}) {
      for (const Json& each : schedule.at(list)) {
        if (!each.at("doc").get<std::string>().empty()) continue;
        return Finding{&causes::kNoDocumentation,
                       each.at("name").get<std::string>() + " has an empty `doc`"};
      }
    }
    return std::nullopt;
  });
}

std::optional<Finding> ScheduleChecks::refused(const Stated& stated) const {
  Schedule schedule;
  const tenon_status status = create(stated, schedule);
  const std::string name = stated.json.at("expect");
  const std::string fragment = stated.json.value("fragment", "");
  const std::string expected =
      "expected " + name + " with words that contain \"" + fragment + "\", found ";
  if (status == TENON_OK) return Finding{&causes::kNotRefused, expected + "success"};
  const std::string words = failure_of(session_, status);
  const bool says = words.find(fragment) != std::string::npos;
  if (tenon_status_get_name(status) == name && says) return std::nullopt;
  return Finding{&causes::kErrorStatus, expected + words};
}

std::optional<Finding> ScheduleChecks::finite(const Stated& stated) const {
  const Numbers values = run(stated);
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    return Finding{&causes::kWrongValue,
                   "step " + std::to_string(i) + " gives " + digits_of(values[i])};
  }
  if (!values.empty()) return std::nullopt;
  return Finding{&causes::kWrongValue, "it has no step at all"};
}

std::optional<Finding> ScheduleChecks::right(const Stated& stated) const {
  const Numbers expected = stated.json.at("values"), found = run(stated);
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < expected.size(); ++i) {
    const std::string wanted =
        "step " + std::to_string(i) + ": expected " + digits_of(expected[i]) + ", found ";
    if (i >= found.size()) return Finding{&causes::kWrongValue, wanted + "no further step"};
    if (std::abs(found[i] - expected[i]) <= kClose * largest) continue;
    return Finding{&causes::kWrongValue, wanted + digits_of(found[i])};
  }
  return std::nullopt;
}

// Two at a time, and after another one.
std::optional<Finding> ScheduleChecks::repeated(const Stated& stated) const {
  const Numbers first = run(stated);
  const Schedule one = made(stated), two = made(stated);
  for (size_t i = 0; i < first.size(); ++i) {
    for (const Schedule* schedule : {&one, &two}) {
      double value = 0;
      const bool there = step(stated, *schedule, i, value);
      if (there && (value == first[i] || std::isnan(first[i]))) continue;
      return Finding{&causes::kNondeterministic,
                     "step " + std::to_string(i) + " of another one: expected " +
                         digits_of(first[i]) + " as before, found " +
                         (there ? digits_of(value) : "no further step")};
    }
  }
  return std::nullopt;
}

// The states of one into a new one, after a third of the steps.
std::optional<Finding> ScheduleChecks::resumed(const Stated& stated) const {
  const Numbers all = run(stated);
  const size_t saved_at = all.size() / 3;
  const Schedule first = made(stated), second = made(stated);
  double value = 0;
  for (size_t i = 0; i < saved_at; ++i) step(stated, first, i, value);
  for (const std::string& state : states_) {
    session_.check(tenon_schedule_get_state(session_.context(), first.get(), state.data(),
                                            state.size(), &value));
    session_.check(tenon_schedule_set_state(session_.context(), second.get(), state.data(),
                                            state.size(), value));
  }
  for (size_t i = saved_at; i < all.size(); ++i) {
    const bool there = step(stated, second, i, value);
    if (there && (value == all[i] || std::isnan(all[i]))) continue;
    return Finding{&causes::kOptimizerResume, "saved before step " + std::to_string(saved_at) +
                                                  " and resumed, step " + std::to_string(i) +
                                                  ": expected " + digits_of(all[i]) + ", found " +
                                                  (there ? digits_of(value) : "no further step")};
  }
  return std::nullopt;
}

void ScheduleChecks::check(uint32_t number, const Stated& stated) {
  if (stated.json.contains("expect")) {
    return each_case(number, Form::Error, "", [&] { return refused(stated); });
  }
  each_case(number, Form::Returned, "finite", [&] { return finite(stated); });
  if (stated.json.contains("values")) {
    each_case(number, Form::Returned, "values", [&] { return right(stated); });
    witnessed_ = true;
  }
  each_case(number, Form::Repeated, "", [&] { return repeated(stated); });
  each_case(number, Form::Resume, "", [&] { return resumed(stated); });
}

// Hyper-parameters that must be given, each inside its range.
Json made_up(const Json& schedule) {
  Json hypers = Json::object();
  for (const Json& hyper : schedule.at("hypers")) {
    if (!hyper.at("required").get<bool>()) continue;
    const auto end = [&](const char* name, double without) {
      return hyper.at(name).is_number() ? hyper.at(name).get<double>() : without;
    };
    const double value = std::clamp(10.0, end("minimum", -HUGE_VAL), end("maximum", HUGE_VAL));
    const std::string type = hyper.at("type"), name = hyper.at("name");
    const auto whole = static_cast<int64_t>(value);
    if (type == "float") {
      hypers[name] = value;
    } else if (type == "int") {
      hypers[name] = whole;
    } else if (type == "bool") {
      hypers[name] = true;
    } else {
      hypers[name] = Json::array({whole});
    }
  }
  return {{"hypers", hypers}};
}

}  // namespace

void check_schedule(Subject& subject, Recorder& recorder, const Request& request,
                    const Json& entry) {
  const std::string schedule = entry.at("name");
  ScheduleChecks checks(subject, recorder, entry);
  checks.check_declared(entry);
  Goldens goldens(request, subject.folder());
  std::string folder;
  uint32_t number = 0;
  bool skeleton = false;
  for (const Json& stated : goldens.cases_of("schedules", schedule, folder)) {
    // Begun, and not filled in.
    if (!stated.contains("expect") && stated.value("values", Json::array()).empty()) {
      skeleton = true;
    } else if (recorder.wants(schedule, number)) {
      checks.check(number, {stated, folder});
    }
    ++number;
  }
  if (checks.witnessed()) return;
  const Json guess = made_up(entry);
  const Stated stated(guess, "");
  if (checks.can_create(stated)) checks.check(number, stated);
  recorder.unwitnessed(
      schedule, "values",
      skeleton ? "its golden file states no values yet" : "no golden file states its values");
}

}  // namespace tenon::verify
