// SPDX-License-Identifier: Apache-2.0
// tests/conformance/verify_test.cc: every plugin of the tree, as `tenon verify` judges it, and how
// much it looks at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

#include "tests/command/command_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

using nlohmann::json;

// Folders of plugins: those that were built here, and the simulated device, which no search finds.
std::vector<std::string> plugins() {
  std::vector<std::string> folders;
  for (const std::string& root :
       {std::string(plugin_dir()), build_dir() + std::string("/sim_plugins")}) {
    for (const auto& entry : std::filesystem::directory_iterator(root)) {
      if (std::filesystem::exists(entry.path() / "plugin.json")) folders.push_back(entry.path());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).filename();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
}

json verify(const std::vector<std::string>& folders, int level) {
  const TemporaryFolder folder;
  const std::string file = folder.path("report.json");
  std::vector<std::string> arguments{"verify", "--level", std::to_string(level), "--json", file};
  arguments.insert(arguments.end(), folders.begin(), folders.end());
  const Done done = run_command(arguments);
  EXPECT_EQ(done.status, 0) << done.out << done.err;
  return read_json(file);
}

// Cases of each op with a tensor operand, over all devices.
std::map<std::string, uint64_t> cases_by_op(const json& plugin) {
  std::map<std::string, uint64_t> cases;
  for (const json& row : plugin.at("matrix")) {
    if (row.value("operands", 0) == 0) continue;
    cases[row.at("op").get<std::string>()] += row.at("cases").get<uint64_t>();
  }
  return cases;
}

void expect_values_covered(const json& plugin) {
  for (const json& entry : plugin.at("uncovered")) {
    EXPECT_NE(entry.at("what"), "values") << entry.dump();
  }
}

class Conformance : public testing::TestWithParam<std::string> {};
TEST_P(Conformance, Level1) {
  const json report = verify({GetParam()}, 1);
  EXPECT_EQ(report.at("skipped"), 0);
  expect_values_covered(report.at("plugins").at(0));
}
INSTANTIATE_TEST_SUITE_P(Plugins, Conformance, testing::ValuesIn(plugins()), name_of);

class ConformanceFull : public testing::TestWithParam<std::string> {};
TEST_P(ConformanceFull, Level2) {
  const json report = verify({GetParam()}, 2);
  EXPECT_EQ(report.at("skipped"), 0);
  const json& plugin = report.at("plugins").at(0);
  expect_values_covered(plugin);
  for (const auto& [op, cases] : cases_by_op(plugin)) EXPECT_GE(cases, 200u) << op;
}
INSTANTIATE_TEST_SUITE_P(Plugins, ConformanceFull, testing::ValuesIn(plugins()), name_of);

class ConformanceSoak : public testing::TestWithParam<std::string> {};
TEST_P(ConformanceSoak, Level3) { EXPECT_EQ(verify({GetParam()}, 3).at("skipped"), 0); }
INSTANTIATE_TEST_SUITE_P(Plugins, ConformanceSoak, testing::ValuesIn(plugins()), name_of);

TEST(ConformanceMatrixFull, HasFiftyThousandDistinctCases) {
  const json report = verify(plugins(), 2);
  EXPECT_GE(report.at("distinct"), 50000);
  EXPECT_EQ(report.at("distinct"), report.at("cases")) << "no case is run twice";
}

}  // namespace
}  // namespace tenon::tests
