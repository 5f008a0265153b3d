// SPDX-License-Identifier: Apache-2.0
// tests/training/schedules_test.cc: values of schedules, what is refused, and schedules that go on
// from saved state. tests/outside compares all of them with PyTorch's.
#include <tenon/ext/draft/schedules.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

struct ReleaseSchedule {
  void operator()(tenon_schedule* schedule) const { tenon_schedule_release(schedule); }
};
using Schedule = std::unique_ptr<tenon_schedule, ReleaseSchedule>;

tenon_value whole(int64_t number) {
  tenon_value value{TENON_VALUE_I64, 0, {}};
  value.as.i64 = number;
  return value;
}

constexpr int64_t kMilestones[] = {3, 5};
tenon_value milestones() {
  tenon_value value{TENON_VALUE_INT_LIST, 2, {}};
  value.as.ints = kMilestones;
  return value;
}

// Every schedule there is, with what it needs.
std::map<std::string, std::vector<Option>> examples() {
  return {{"tenon.constant", {{"factor", real(0.5)}, {"steps", whole(2)}}},
          {"tenon.step", {{"period", whole(2)}}},
          {"tenon.multi_step", {{"milestones", milestones()}}},
          {"tenon.exponential", {{"factor", real(0.5)}}},
          {"tenon.linear_warmup", {{"steps", whole(4)}}},
          {"tenon.cosine", {{"period", whole(3)}, {"restarts", flag(true)}, {"growth", whole(2)}}},
          {"tenon.one_cycle", {{"steps", whole(12)}}},
          {"tenon.plateau", {{"patience", whole(1)}, {"cooldown", whole(1)}}}};
}

class Schedules : public Training {
 protected:
  tenon_status create(const std::string& name, double base, const std::vector<Option>& hypers,
                      tenon_schedule** out) {
    const Options options(hypers);
    return tenon_schedule_create(context, name.data(), name.size(), base, options.names.data(),
                                 options.values.data(), static_cast<uint32_t>(options.names.size()),
                                 out);
  }
  Schedule schedule(const std::string& name, const std::vector<Option>& hypers, double base = 1) {
    tenon_schedule* made = nullptr;
    must(create(name, base, hypers, &made));
    return Schedule(made);
  }
  double next(const Schedule& schedule, const double* metric = nullptr) {
    double value = 0;
    must(tenon_schedule_run(context, schedule.get(), metric, &value));
    return value;
  }
  void expect(const Schedule& schedule, const std::vector<double>& values) {
    for (const double value : values) EXPECT_DOUBLE_EQ(next(schedule), value);
  }
  std::string refusal(const std::string& name, double base, const std::vector<Option>& hypers,
                      tenon_status status) {
    tenon_schedule* made = nullptr;
    const std::string words = refused(create(name, base, hypers, &made), status);
    EXPECT_EQ(made, nullptr);
    return words;
  }
  nlohmann::json query() {
    tenon_text* text = nullptr;
    must(tenon_runtime_query(context, "schedules", TENON_NUL, &text));
    const char* data = nullptr;
    uint64_t length = 0;
    must(tenon_text_get(text, &data, &length));
    const auto json = nlohmann::json::parse(std::string_view(data, length));
    tenon_text_release(text);
    return json;
  }
};

TEST_F(Schedules, ValuesByHand) {
  expect(schedule("tenon.constant", {}, 0.3), {0.3, 0.3});
  expect(schedule("tenon.constant", {{"factor", real(0.5)}, {"steps", whole(2)}}), {0.5, 0.5, 1});
  expect(schedule("tenon.step", {{"period", whole(2)}, {"factor", real(0.5)}}, 8),
         {8, 8, 4, 4, 2, 2, 1});
  expect(schedule("tenon.multi_step", {{"milestones", milestones()}, {"factor", real(0.5)}}, 4),
         {4, 4, 4, 2, 2, 1, 1});
  expect(schedule("tenon.exponential", {{"factor", real(0.5)}}, 4), {4, 2, 1, 0.5});
  expect(schedule("tenon.linear_warmup", {{"steps", whole(4)}, {"start_factor", real(0)}}, 4),
         {0, 1, 2, 3, 4, 4});
}

TEST_F(Schedules, CosineEndsOrBeginsAgain) {
  const std::vector<Option> once = {{"period", whole(2)}, {"minimum", real(2)}};
  expect(schedule("tenon.cosine", once, 4), {4, 3, 2, 2, 2});
  std::vector<Option> again = once;
  again.push_back({"restarts", flag(true)});
  expect(schedule("tenon.cosine", again, 4), {4, 3, 4, 3, 4});
  again.push_back({"growth", whole(2)});
  const double first = 3 + std::cos(std::acos(-1.0) / 4), third = 6 - first;
  expect(schedule("tenon.cosine", again, 4), {4, 3, 4, first, 3, third, 4});
}

TEST_F(Schedules, OneCycleHasAnEnd) {
  const Schedule cycle = schedule("tenon.one_cycle",
                                  {{"steps", whole(5)},
                                   {"warm_share", real(0.6)},
                                   {"start_divisor", real(4)},
                                   {"end_divisor", real(5)},
                                   {"linear", flag(true)}},
                                  20);
  expect(cycle, {5, 12.5, 20, 10.5, 1});
  double value = 7;
  const std::string words =
      refused(tenon_schedule_run(context, cycle.get(), nullptr, &value), TENON_E_STATE);
  EXPECT_NE(words.find("tenon.one_cycle: the cycle has ended: all of its 5 steps were made"),
            std::string::npos)
      << words;
  EXPECT_EQ(value, 7);
  must(tenon_schedule_get_state(context, cycle.get(), "step", TENON_NUL, &value));
  EXPECT_EQ(value, 5);
}

TEST_F(Schedules, PlateauWaitsForMetrics) {
  const Schedule plateau = schedule(
      "tenon.plateau", {{"factor", real(0.5)}, {"patience", whole(1)}, {"cooldown", whole(1)}}, 8);
  EXPECT_EQ(next(plateau), 8);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::pair<double, double> expected[] = {{1.0, 8}, {1.0, 8}, {1.0, 4}, {2.0, 4},
                                                {2.0, 4}, {nan, 2}, {0.5, 2}};
  for (const auto& [metric, value] : expected) EXPECT_EQ(next(plateau, &metric), value) << metric;
  EXPECT_EQ(next(plateau), 2) << "a step without a metric counts nothing";
}

TEST_F(Schedules, EveryOneGoesOnFromItsState) {
  const auto all = examples();
  const nlohmann::json listed = query();
  EXPECT_EQ(listed.size(), all.size());
  for (const auto& kind : listed) {
    const std::string name = kind.at("name");
    SCOPED_TRACE(name);
    ASSERT_TRUE(all.contains(name));
    const Schedule whole = schedule(name, all.at(name), 0.1);
    const auto run = [&](const Schedule& which, int step) {
      const double metric = std::sin(step);
      return next(which, &metric);
    };
    for (int step = 0; step < 5; ++step) run(whole, step);
    const Schedule resumed = schedule(name, all.at(name), 0.1);
    for (const auto& state : kind.at("states")) {
      const std::string state_name = state.at("name");
      double value = 0;
      must(tenon_schedule_get_state(context, whole.get(), state_name.data(), state_name.size(),
                                    &value));
      must(tenon_schedule_set_state(context, resumed.get(), state_name.data(), state_name.size(),
                                    value));
    }
    for (int step = 5; step < 12; ++step) EXPECT_EQ(run(resumed, step), run(whole, step)) << step;
  }
}

TEST_F(Schedules, WrongArgumentsAreRefused) {
  const auto contains = [](const std::string& words, const std::string& fragment) {
    EXPECT_NE(words.find(fragment), std::string::npos) << words;
  };
  contains(refusal("tenon.weather", 1, {}, TENON_E_NOT_FOUND), "schedule \"tenon.weather\"");
  contains(refusal("tenon.step", 1, {}, TENON_E_ATTRIBUTE),
           "tenon.step: hyper-parameter \"period\" is required");
  contains(refusal("tenon.step", 1, {{"period", whole(0)}}, TENON_E_ATTRIBUTE),
           "\"period\" is out of range");
  contains(refusal("tenon.step", 1, {{"period", real(2)}}, TENON_E_ATTRIBUTE),
           "\"period\" has the wrong type");
  contains(refusal("tenon.step", 1, {{"mood", real(2)}}, TENON_E_ATTRIBUTE),
           "one of: period factor");
  const double infinity = std::numeric_limits<double>::infinity();
  contains(refusal("tenon.constant", infinity, {}, TENON_E_ARGUMENT),
           "tenon.constant: the base value is not finite");
  tenon_value no_list{TENON_VALUE_INT_LIST, 3, {}};
  contains(refusal("tenon.multi_step", 1, {{"milestones", no_list}}, TENON_E_ATTRIBUTE),
           "\"milestones\" is a NULL list");
  const int64_t negative[] = {3, -1};
  no_list.as.ints = negative;
  no_list.count = 2;
  contains(refusal("tenon.multi_step", 1, {{"milestones", no_list}}, TENON_E_ATTRIBUTE),
           "\"milestones\" is out of range");
  contains(refusal("tenon.one_cycle", 1,
                   {{"steps", whole(9)}, {"three_phases", flag(true)}, {"warm_share", real(0.6)}},
                   TENON_E_ATTRIBUTE),
           "tenon.one_cycle: three phases need a warm_share of at most 0.5");
  const Schedule constant = schedule("tenon.constant", {});
  double value = 0;
  contains(refused(tenon_schedule_get_state(context, constant.get(), "mood", 4, &value),
                   TENON_E_NOT_FOUND),
           "tenon.constant: no state \"mood\"");
}

}  // namespace
}  // namespace tenon::tests
