// SPDX-License-Identifier: Apache-2.0
// tests/training/schedules_test.cc: values of schedules, what is refused, and schedules that go on
// from saved state. tests/outside compares all of them with PyTorch's.
#include <tenon/ext/draft/schedules.h>

#include <algorithm>
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
    std::string words = refused(create(name, base, hypers, &made), status);
    EXPECT_EQ(made, nullptr);
    return words;
  }
  nlohmann::json query() {
    tenon_text* text = nullptr;
    must(tenon_runtime_query(context, "schedules", TENON_NUL, &text));
    const char* data = nullptr;
    uint64_t length = 0;
    must(tenon_text_get(text, &data, &length));
    auto json = nlohmann::json::parse(std::string_view(data, length));
    tenon_text_release(text);
    return json;
  }
};

// Values worked out by hand from the formula in the schedule's documentation.
struct Row {
  std::string name;
  std::vector<Option> options;
  double base;
  std::vector<double> values;
  std::vector<double> metrics = {};  // none: steps without one
};
constexpr int64_t kUnordered[] = {5, 3, 3};
std::vector<Row> rows_by_step() {
  const double root = std::sqrt(0.5);
  const Option factor = {"factor", real(0.5)};
  tenon_value unordered{TENON_VALUE_INT_LIST, std::size(kUnordered), {}};
  unordered.as.ints = kUnordered;
  return {
      {"tenon.constant", {}, 0.3, {0.3, 0.3}},
      {"tenon.constant", {factor, {"steps", whole(2)}}, 1, {0.5, 0.5, 1}},
      {"tenon.step", {{"period", whole(2)}, factor}, 8, {8, 8, 4, 4, 2, 2, 1}},
      {"tenon.step", {{"period", whole(3)}}, 100, {100, 100, 100, 10, 10, 10, 1}},
      {"tenon.multi_step", {{"milestones", milestones()}, factor}, 4, {4, 4, 4, 2, 2, 1, 1}},
      {"tenon.multi_step", {{"milestones", unordered}, factor}, 8, {8, 8, 8, 2, 2, 1, 1}},
      {"tenon.exponential", {factor}, 4, {4, 2, 1, 0.5}},
      {"tenon.linear_warmup",
       {{"steps", whole(4)}, {"start_factor", real(0)}},
       4,
       {0, 1, 2, 3, 4, 4}},
      {"tenon.linear_warmup",
       {{"steps", whole(4)}, {"start_factor", real(0.5)}, {"end_factor", real(0)}},
       8,
       {4, 3, 2, 1, 0, 0}},
      {"tenon.linear_warmup", {{"steps", whole(2)}}, 3, {1, 2, 3, 3}},
      {"tenon.cosine", {{"period", whole(3)}, {"minimum", real(2)}}, 6, {6, 5, 3, 2, 2}},
      {"tenon.cosine", {{"period", whole(2)}, {"restarts", flag(true)}}, 4, {4, 2, 4, 2, 4}},
      {"tenon.cosine",
       {{"period", whole(1)}, {"restarts", flag(true)}, {"growth", whole(2)}},
       4,
       {4, 4, 2, 4, 2 + 2 * root, 2, 2 - 2 * root, 4}},
  };
}

// Up to step w - 1, w = warm_share * steps; in three phases back until 2 w - 2.
std::vector<Row> rows_of_cycles() {
  const double root = std::sqrt(0.5);
  const Option low = {"start_divisor", real(4)}, end = {"end_divisor", real(10)};
  const Option line = {"linear", flag(true)}, three = {"three_phases", flag(true)};
  return {
      {"tenon.one_cycle",
       {{"steps", whole(10)}, {"warm_share", real(0.4)}, low, end, line},
       20,
       {5, 10, 15, 20, 16.75, 13.5, 10.25, 7, 3.75, 0.5}},
      {"tenon.one_cycle",
       {{"steps", whole(16)}, {"warm_share", real(0.25)}, low, end, line, three},
       20,
       {5, 10, 15, 20, 15, 10, 5, 4.5, 4, 3.5, 3, 2.5, 2, 1.5, 1, 0.5}},
      {"tenon.one_cycle",
       {{"steps", whole(10)}, {"warm_share", real(0.4)}, low, end, three},
       20,
       {5, 8.75, 16.25, 20, 16.25, 8.75, 5, 3.875, 1.625, 0.5}},
      {"tenon.one_cycle",
       {{"steps", whole(8)}, {"warm_share", real(0.5)}, low, end},
       20,
       {5, 8.75, 16.25, 20, 10.25 + 9.75 * root, 10.25, 10.25 - 9.75 * root, 0.5}},
      // A phase of one step ends where it begins.
      {"tenon.one_cycle",
       {{"steps", whole(4)}, {"warm_share", real(0.25)}, low, end, line},
       20,
       {20, 13.5, 7, 0.5}},
      {"tenon.one_cycle", {{"steps", whole(11)}, line}, 100, {4, 4 + 96 / 2.3}},
  };
}

std::vector<Row> rows_by_metric() {
  const Option factor = {"factor", real(0.5)}, at_once = {"patience", whole(0)};
  const Option far = {"threshold", real(0.5)}, most = {"maximize", flag(true)};
  const Option distance = {"relative", flag(false)};
  return {
      {"tenon.plateau", {factor, at_once}, 8, {8, 4, 2, 1}, {1, 1, 1, 1}},
      {"tenon.plateau", {at_once}, 100, {100, 10, 1}, {1, 1, 1}},
      {"tenon.plateau",
       {factor, {"patience", whole(2)}},
       8,
       {8, 8, 8, 4, 4, 4, 2},
       {1, 1, 1, 1, 1, 1, 1}},
      {"tenon.plateau",
       {factor, at_once, {"cooldown", whole(2)}},
       8,
       {8, 4, 4, 4, 2, 2, 2, 1},
       {1, 1, 1, 1, 1, 1, 1, 1}},
      {"tenon.plateau",
       {factor, {"patience", whole(1)}, {"cooldown", whole(2)}},
       8,
       {8, 8, 4, 4, 4, 4, 2},
       {1, 1, 1, 1, 1, 1, 1}},
      // What is better counts as the best also while none counts as bad.
      {"tenon.plateau",
       {factor, at_once, {"cooldown", whole(1)}},
       8,
       {8, 4, 4, 2},
       {1, 1, 0.5, 0.75}},
      {"tenon.plateau", {factor, at_once, most}, 8, {8, 8, 4, 4, 2}, {1, 2, 2, 2.5, 2}},
      {"tenon.plateau", {factor, at_once, far}, 8, {8, 4, 4, 2}, {4, 2.5, 1.75, 1}},
      {"tenon.plateau", {factor, at_once, far, distance}, 8, {8, 4, 2, 2}, {4, 3.75, 3.5, 3.25}},
      {"tenon.plateau", {factor, at_once, far, most}, 8, {8, 4, 4, 2}, {1, 1.5, 1.75, 2.5}},
      {"tenon.plateau", {factor, at_once, far, distance, most}, 8, {8, 4, 4, 2}, {4, 4.5, 5, 5.5}},
      {"tenon.plateau", {factor, at_once, {"minimum", real(3)}}, 8, {8, 4, 3, 3}, {1, 1, 1, 1}},
      {"tenon.plateau",
       {factor, at_once, {"smallest_change", real(0.5)}},
       4,
       {4, 2, 1, 1},
       {1, 1, 1, 1}},
  };
}

std::vector<Row> rows() {
  std::vector<Row> all = rows_by_step();
  for (auto* more : {rows_of_cycles, rows_by_metric}) {
    for (Row& row : more()) all.push_back(std::move(row));
  }
  return all;
}

class ScheduleRows : public Schedules {
 protected:
  std::vector<double> run(const Row& row) {
    const Schedule made = schedule(row.name, row.options, row.base);
    std::vector<double> values;
    for (size_t i = 0; i < row.values.size(); ++i) {
      values.push_back(next(made, row.metrics.empty() ? nullptr : &row.metrics[i]));
    }
    return values;
  }
};

TEST_F(ScheduleRows, HaveTheirValues) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.name + " " + (row.options.empty() ? "" : row.options.back().first));
    const std::vector<double> found = run(row);
    for (size_t i = 0; i < found.size(); ++i) EXPECT_DOUBLE_EQ(found[i], row.values[i]) << i;
  }
}

// Each hyper-parameter has a row that it makes a difference to.
TEST_F(ScheduleRows, DependOnEveryHyperParameter) {
  for (const auto& kind : query()) {
    for (const auto& hyper : kind.at("hypers")) {
      const std::string name = kind.at("name"), option = hyper.at("name");
      const bool found = std::ranges::any_of(rows(), [&](Row row) {
        if (row.name != name) return false;
        const size_t given = row.options.size();
        const std::vector<double> whole = run(row);
        std::erase_if(row.options, [&](const Option& each) { return each.first == option; });
        if (row.options.size() == given) return false;
        return hyper.at("required").get<bool>() || run(row) != whole;
      });
      EXPECT_TRUE(found) << name << ": no row shows what " << option << " does";
    }
  }
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

// Which metrics are better, and which changes are made.
TEST_F(Schedules, PlateauObeysItsOptions) {
  struct Case {
    std::vector<Option> options;
    std::vector<std::pair<double, double>> expected;
  };
  const Option absolute = {"relative", flag(false)}, greater = {"maximize", flag(true)};
  const Option tenth = {"threshold", real(0.1)};
  const Case cases[] = {{{tenth}, {{10, 8}, {9.1, 4}, {8.9, 4}, {8.1, 2}}},
                        {{tenth, absolute}, {{10, 8}, {9.95, 4}, {9.8, 4}, {9.75, 2}}},
                        {{tenth, greater}, {{10, 8}, {10.9, 4}, {11.1, 4}, {12.1, 2}}},
                        {{tenth, greater, absolute}, {{10, 8}, {10.05, 4}, {10.2, 4}, {10.25, 2}}},
                        {{{"minimum", real(3)}}, {{1, 8}, {1, 4}, {1, 3}, {1, 3}}},
                        {{{"smallest_change", real(2)}}, {{1, 8}, {1, 4}, {1, 4}}},
                        {{{"smallest_change", real(1.5)}}, {{1, 8}, {1, 4}, {1, 2}, {1, 2}}}};
  for (const Case& each : cases) {
    std::vector<Option> options = each.options;
    options.insert(options.end(), {{"factor", real(0.5)}, {"patience", whole(0)}});
    SCOPED_TRACE("case " + std::to_string(&each - cases));
    const Schedule plateau = schedule("tenon.plateau", options, 8);
    for (const auto& [metric, value] : each.expected) EXPECT_EQ(next(plateau, &metric), value);
  }
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
