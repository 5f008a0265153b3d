// SPDX-License-Identifier: Apache-2.0
// tests/witness/strict_test.cc: `tenon verify --strict` and `tenon golden new`, with a plugin
// (plugins/test.witness) that is right, or wrong in everything it offers.
//
// The formulas stand here once more: this test is the other program that fills golden files in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "tests/command/command_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using Values = std::vector<double>;

const std::string kVendor = "test.witness.";
const Environment kWrong = {{"TENON_TEST_WRONG", "1"}};

std::string plugin_root() { return test_plugin_dir() + std::string("/witness"); }

// All that the plugin offers of a kind, as its manifest says.
std::vector<std::string> offered(const std::vector<const char*>& kinds) {
  const json manifest = read_json(plugin_root() + "/test.witness/plugin.json");
  std::vector<std::string> names;
  for (const char* kind : kinds) {
    for (const json& each : manifest.at(kind)) {
      names.push_back(each.is_object() ? each.at("name") : each);
    }
  }
  return names;
}
std::vector<std::string> ops_and_steps() { return offered({"ops", "optimizers"}); }
std::vector<std::string> everything() {
  return offered({"ops", "optimizers", "layers", "datasets", "schedules"});
}

// ---- What is right ------------------------------------------------------------------------------

const std::map<std::string, std::function<double(double, double)>> kPairs = {
    {"constant_added", [](double a, double b) { return a + b; }},
    {"operands_swapped", [](double a, double b) { return a - b; }},
    {"sign", [](double a, double b) { return a * b; }},
    {"least_for_largest", [](double a, double b) { return std::max(a, b); }},
    {"branch", [](double a, double b) { return a > 0 ? b : 0; }},
    {"square_lost", [](double a, double b) { return (a - b) * (a - b); }},
    {"not_clipped", [](double a, double b) { return std::clamp(a, -1.0, 1.0) + b; }},
    {"operand_ignored", [](double a, double b) { return std::fabs(a) + b; }},
    {"factor", [](double a, double b) { return 2 * (a * b); }},
    {"tolerance", [](double a, double b) { return a * b; }},
    {"slope_sign", [](double a, double b) { return a * a * b; }},
    {"slope_close", [](double a, double b) { return a * a * b; }},
    {"slope_swapped", [](double a, double b) { return a * a * b; }},
    {"add_to", [](double x, double y) { return x + y; }},
};
double sum_of(const Values& x) { return std::accumulate(x.begin(), x.end(), 0.0); }
const std::map<std::string, std::function<Values(const Values&)>> kSums = {
    {"sum_and_constant", [](const Values& x) { return Values{sum_of(x)}; }},
    {"sum_but_last", [](const Values& x) { return Values{sum_of(x)}; }},
    {"mean_of_too_few",
     [](const Values& x) { return Values{sum_of(x) / static_cast<double>(x.size())}; }},
    {"sum_in_f32", [](const Values& x) { return Values{sum_of(x)}; }},
    {"ends",
     [](const Values& x) {
       return Values{*std::min_element(x.begin(), x.end()), *std::max_element(x.begin(), x.end())};
     }},
};

json with_values(const json& like, const Values& values) {
  json tensor = like;
  tensor["values"] = values;
  return tensor;
}

// v = momentum * v + g, p = p - lr * v.
void descend(json& params, const json& grads, json& velocity, double lr, double momentum) {
  for (size_t n = 0; n < params.size(); ++n) {
    Values p = params[n].at("values"), g = grads[n].at("values"), v = velocity[n].at("values");
    for (size_t i = 0; i < p.size(); ++i) {
      v[i] = momentum * v[i] + g[i];
      p[i] -= lr * v[i];
    }
    params[n]["values"] = p;
    velocity[n]["values"] = v;
  }
}

json results_of(const std::string& name, const json& operands) {
  json results = json::array();
  if (const auto pair = kPairs.find(name); pair != kPairs.end()) {
    const Values a = operands[0].at("values"), b = operands[1].at("values");
    Values y(a.size());
    std::transform(a.begin(), a.end(), b.begin(), y.begin(), pair->second);
    results.push_back(with_values(operands[0], y));
  } else if (const auto sum = kSums.find(name); sum != kSums.end()) {
    for (const double value : sum->second(operands[0].at("values"))) {
      results.push_back(
          {{"dtype", operands[0].at("dtype")}, {"shape", json::array()}, {"values", {value}}});
    }
  } else {
    json params = operands[0], velocity = operands[2];
    descend(params, operands[1], velocity, operands[3].at("values")[0], 0.5);
    for (const json& each : params) results.push_back(each);
    for (const json& each : velocity) results.push_back(each);
  }
  return results;
}

json trace_of(const json& run) {
  json params = run.at("params"), velocity = params, trace = json::array();
  for (json& each : velocity) each["values"] = Values(each.at("values").size(), 0.0);
  for (const json& grads : run.at("gradients")) {
    descend(params, grads, velocity, run.at("attributes").at("lr"), 0.5);
    trace.push_back({{"params", params}, {"states", {{"velocity", velocity}}}});
  }
  return trace;
}

json dataset_cases() {
  json samples = json::array();
  for (int i = 0; i < 5; ++i) {
    samples.push_back({{"index", i}, {"values", {{i, i * i}, {i % 3}}}});
  }
  const json fields = {{{"name", "point"}, {"dtype", "f32"}, {"shape", {2}}},
                       {{"name", "label"}, {"dtype", "i64"}, {"shape", json::array()}}};
  return {
      {{"options", {{"count", 5}}}, {"length", 5}, {"fields", fields}, {"samples", samples}},
      {{"options", {{"count", -1}}}, {"expect", "TENON_E_ATTRIBUTE"}, {"fragment", "at least 0"}}};
}

json schedule_cases() {
  Values values;
  for (int i = 0; i < 12; ++i) values.push_back(2 * std::max(0.0, 1 - i / 10.0));
  return {{{"base", 2.0}, {"hypers", {{"steps", 10}}}, {"values", values}},
          {{"hypers", {{"steps", 3}}}, {"expect", "TENON_E_ATTRIBUTE"}, {"fragment", "even"}}};
}

// ---- Golden files -------------------------------------------------------------------------------

Done golden_new(std::vector<std::string> names, const std::string& into) {
  names.insert(names.begin(), {"--plugin-path", plugin_root(), "golden", "new", "--into", into});
  return run_command(names);
}

void fill_in(json& golden) {
  if (golden.contains("layer")) {
    for (json& each : golden.at("cases")) {
      const Values weight = each.at("tensors").at("weight").at("values");
      Values y = each.at("operands")[0].at("values");
      for (size_t i = 0; i < y.size(); ++i) y[i] *= weight[i % weight.size()];
      each["results"] = json::array({with_values(each.at("operands")[0], y)});
    }
  } else if (golden.contains("dataset")) {
    golden["cases"] = dataset_cases();
  } else if (golden.contains("schedule")) {
    golden["cases"] = schedule_cases();
  } else if (golden.contains("optimizer")) {
    for (json& run : golden.at("cases")) run["trace"] = trace_of(run);
  } else {
    const std::string name = golden.at("op").get<std::string>().substr(kVendor.size());
    for (json& each : golden.at("cases")) each["results"] = results_of(name, each.at("operands"));
  }
}

void write_goldens(const TemporaryFolder& folder) {
  const std::string root = folder.path("goldens");
  const Done done = golden_new(everything(), root);
  ASSERT_EQ(done.status, 0) << done.err;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    json golden = read_json(entry.path());
    fill_in(golden);
    std::ofstream(entry.path()) << golden.dump();
  }
}

// ---- The judge ----------------------------------------------------------------------------------

Done verify(std::vector<std::string> arguments, const Environment& environment = {}) {
  arguments.insert(arguments.begin(), {"verify", plugin_root() + "/test.witness", "--json", "-"});
  return run_command(arguments, environment);
}

// Causes by op, as `counts` of a report says.
std::map<std::string, std::set<std::string>> causes_in(const Done& done) {
  std::map<std::string, std::set<std::string>> causes;
  const json report = done.json();
  for (const json& each : report.at("plugins").at(0).at("counts")) {
    causes[each.at("op")].insert(each.at("cause"));
  }
  return causes;
}

TEST(Strict, WhatIsRightPasses) {
  const TemporaryFolder folder;
  write_goldens(folder);
  const Done done = verify({"--strict", "--level", "0", "--goldens", folder.path("goldens")});
  EXPECT_EQ(done.status, 0) << done.out << done.err;
  EXPECT_EQ(done.json().at("warnings"), 0);
  EXPECT_EQ(done.json().at("failed"), 0);
}

TEST(Strict, EverythingWrongIsFound) {
  const TemporaryFolder folder;
  write_goldens(folder);
  const Done done =
      verify({"--strict", "--level", "0", "--goldens", folder.path("goldens")}, kWrong);
  EXPECT_EQ(done.status, 1) << done.err;
  auto causes = causes_in(done);
  EXPECT_GE(ops_and_steps().size(), 29u);
  for (const std::string& name : everything()) {
    EXPECT_FALSE(causes[name].empty()) << name << " is wrong, and nothing was found";
    EXPECT_FALSE(causes[name].contains("no-witness")) << name;
  }
  // By the cause that says what is wrong.
  const std::pair<const char*, const char*> expected[] = {{"long", "wrong-length"},
                                                          {"short", "wrong-length"},
                                                          {"growing", "wrong-length"},
                                                          {"dtype", "wrong-shape"},
                                                          {"shape", "wrong-shape"},
                                                          {"name", "wrong-shape"},
                                                          {"value", "wrong-value"},
                                                          {"unrepeatable", "nondeterministic"},
                                                          {"unwritten", "unwritten-output"},
                                                          {"batch", "nondeterministic"},
                                                          {"failing", "refused"},
                                                          {"lenient", "not-refused"},
                                                          {"leaking", "leak"},
                                                          {"ramp_formula", "wrong-value"},
                                                          {"ramp_not_finite", "wrong-value"},
                                                          {"ramp_shared", "nondeterministic"},
                                                          {"ramp_too_far", "wrong-value"},
                                                          {"ramp_accepts", "not-refused"},
                                                          {"box_drops", "refused"},
                                                          {"box_reverses", "not-read-back"},
                                                          {"box_forgets", "refused"},
                                                          {"box_changes", "nondeterministic"},
                                                          {"box_trusts", "not-refused"},
                                                          {"box_dies", "crash"},
                                                          {"speller_shifts", "wrong-value"},
                                                          {"speller_outside", "wrong-value"},
                                                          {"speller_grows", "wrong-value"},
                                                          {"speller_counts", "nondeterministic"},
                                                          {"speller_threads", "thread-dependent"},
                                                          {"speller_beyond", "wrong-value"},
                                                          {"speller_from_end", "wrong-value"},
                                                          {"speller_forgets", "not-read-back"},
                                                          {"speller_misspells", "wrong-value"},
                                                          {"speller_says_other", "wrong-value"},
                                                          {"speller_loses", "not-read-back"},
                                                          {"speller_trusts", "error-status"},
                                                          {"speller_dies", "crash"},
                                                          {"speller_accepts", "not-refused"},
                                                          {"speller_refuses", "error-status"},
                                                          {"speller_reads", "special-from-text"},
                                                          {"speller_obeys", "special-from-text"}};
  for (const auto& [name, cause] : expected) {
    EXPECT_THAT(causes[kVendor + name], testing::Contains(cause)) << name;
  }
}

TEST(Strict, WhatHasNoWitnessIsAWarningOrAFailure) {
  const Done lenient = verify({"--level", "0"});
  EXPECT_EQ(lenient.status, 0) << lenient.out << lenient.err;
  std::set<std::string> warned;
  const json report = lenient.json();
  for (const json& each : report.at("plugins").at(0).at("warnings")) {
    EXPECT_EQ(each.at("cause"), "no-witness");
    warned.insert(each.at("op"));
  }
  const Done strict = verify({"--level", "0", "--strict"});
  EXPECT_EQ(strict.status, 1);
  auto causes = causes_in(strict);
  for (const std::string& name : everything()) {
    EXPECT_TRUE(warned.contains(name)) << name;
    EXPECT_EQ(causes[name], std::set<std::string>{"no-witness"}) << name;
  }
  EXPECT_EQ(lenient.json().at("warnings"), strict.json().at("failed"));
}

// The wrong sum and the wrong step that passed unseen, in words for people.
TEST(Strict, TheWarningIsSeen) {
  const std::string plugin = plugin_root() + "/test.witness";
  const std::string ops = kVendor + "sum_and_constant," + kVendor + "uphill";
  const Done done = run_command({"verify", plugin, "--level", "0", "--ops=" + ops}, kWrong);
  EXPECT_EQ(done.status, 0) << done.out;
  for (const char* name : {"sum_and_constant", "uphill"}) {
    EXPECT_THAT(done.out, HasSubstr("warning: " + kVendor + name + ": no-witness, nothing"));
  }
  EXPECT_THAT(done.out, HasSubstr("2 of 2 calls, the first of them sample \"f64[2,3](-3,3)\""));
  EXPECT_THAT(done.out, HasSubstr("`tenon golden new NAME` writes a golden file to fill in"));
  const Done strict =
      run_command({"verify", plugin, "--level", "0", "--strict", "--ops=" + ops}, kWrong);
  EXPECT_EQ(strict.status, 1);
  EXPECT_THAT(strict.out, HasSubstr(kVendor + "uphill: no-witness"));
  EXPECT_THAT(strict.out, HasSubstr("--level 0 --strict"));
}

// Within 4 ulp of f32, and no more.
TEST(Strict, WithoutAWitnessF64JudgesTheOtherDtypes) {
  const Done done = verify({"--level", "0", "--ops=" + kVendor + "sum_in_f32"}, kWrong);
  EXPECT_EQ(done.status, 1) << done.out;
  EXPECT_EQ(causes_in(done)[kVendor + "sum_in_f32"], std::set<std::string>{"wrong-dtype-row"});
}

TEST(Strict, AGoldenFileWithoutResultsIsNoWitness) {
  const TemporaryFolder folder;
  ASSERT_EQ(golden_new(everything(), folder.path("goldens")).status, 0);
  const Done done = verify({"--strict", "--level", "0", "--goldens", folder.path("goldens")});
  EXPECT_EQ(done.status, 1);
  std::set<std::string> told;
  const json report = done.json();
  for (const json& each : report.at("plugins").at(0).at("failures")) {
    EXPECT_EQ(each.at("cause"), "no-witness") << each.dump();
    EXPECT_THAT(each.at("words").get<std::string>(), HasSubstr(" yet"));
    told.insert(each.at("op"));
  }
  EXPECT_EQ(told.size(), everything().size());
}

// ---- `tenon golden new` -------------------------------------------------------------------------

TEST(GoldenNew, DrawsOperandsOfEveryCase) {
  const TemporaryFolder folder;
  ASSERT_EQ(golden_new({kVendor + "ends", kVendor + "late"}, folder.path("g")).status, 0);
  const json op = read_json(folder.path("g/test.witness.ends.json"));
  ASSERT_EQ(op.at("cases").size(), 4u) << "each sample as written and in the other dtype";
  for (const json& each : op.at("cases")) {
    EXPECT_EQ(each.at("results"), json::array());
    EXPECT_EQ(each.at("inputs").get<std::string>().size(), 16u);
  }
  EXPECT_EQ(op.at("cases")[0].at("operands")[0].at("values").size(), 6u);
  EXPECT_EQ(op.at("cases")[0].at("operands")[0].at("shape"), json({2, 3}));
  EXPECT_EQ(op.at("cases")[1].at("operands")[0].at("dtype"), "f32");
  const json run = read_json(folder.path("g/optimizers/test.witness.late.json")).at("cases")[0];
  EXPECT_EQ(run.at("attributes"), json({{"lr", 0.5}}));
  EXPECT_EQ(run.at("gradients").size(), 3u);
  EXPECT_EQ(run.at("gradients")[0].size(), run.at("params").size());
  EXPECT_EQ(run.at("trace"), json::array());
}

TEST(GoldenNew, RefusesWhatIsNotThereOrIsThereAlready) {
  const TemporaryFolder folder;
  const Done unknown = golden_new({kVendor + "none"}, folder.path("g"));
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("no op, optimizer, layer, dataset or schedule is named \"" +
                                     kVendor + "none\""));
  const std::string file = folder.write("g/test.witness.ends.json", "mine");
  const Done there = golden_new({kVendor + "ends"}, folder.path("g"));
  EXPECT_EQ(there.status, 1);
  EXPECT_THAT(there.err, HasSubstr(file + " exists; --force writes over it"));
  EXPECT_EQ(golden_new({kVendor + "ends", "--force"}, folder.path("g")).status, 0);
  EXPECT_EQ(read_json(file).at("op"), kVendor + "ends");
  const Done folderless = golden_new({kVendor + "ends"}, file + "/below");
  EXPECT_EQ(folderless.status, 1);
  EXPECT_THAT(folderless.err, HasSubstr("cannot be made: "));
}

}  // namespace
}  // namespace tenon::tests
