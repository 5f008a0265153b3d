// SPDX-License-Identifier: Apache-2.0
// tests/conformance/verify_test.cc: every plugin of the tree, as `tenon verify` judges it, and how
// much it looks at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tenon/plugin.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>

#include "tests/command/command_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

using nlohmann::json;

std::vector<std::string> folders_in(const std::string& root) {
  std::vector<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (std::filesystem::exists(entry.path() / "plugin.json")) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

// Those that are installed, as far as they were built here. tests/nccl judges the engine that needs
// GPUs, over what stands for them.
std::vector<std::string> shipped() {
  std::vector<std::string> folders = folders_in(plugin_dir());
  std::erase(folders, std::string(plugin_dir()) + "/tenon.nccl");
  return folders;
}

// The simulated device, and kernels that declare row-major operands alone, so that staging meets
// every op.
std::vector<std::string> others() {
  std::vector<std::string> folders = folders_in(build_dir() + std::string("/sim_plugins"));
  const auto strict = folders_in(build_dir() + std::string("/test_plugins/conformance"));
  folders.insert(folders.end(), strict.begin(), strict.end());
  return folders;
}

// CUDA's kernels on the processor, where they were built: thousands of times slower than on a card,
// so that their higher levels are for soak.
std::vector<std::string> emulated() {
  const std::string root = build_dir() + std::string("/cuda_plugins");
  return std::filesystem::exists(root) ? folders_in(root) : std::vector<std::string>();
}

std::vector<std::string> joined(std::vector<std::string> folders,
                                const std::vector<std::string>& more) {
  folders.insert(folders.end(), more.begin(), more.end());
  return folders;
}

std::string name_of(const std::string& folder) {
  std::string name = std::filesystem::path(folder).filename();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
}

// Those that this machine's processor can run.
std::vector<std::string> runnable(std::vector<std::string> folders) {
  const json listed = run_command({"list", "--json"}).json();
  for (const json& plugin : listed.at("plugins")) {
    if (is_for_another_processor(plugin)) {
      std::erase(folders, plugin.at("folder").get<std::string>());
    }
  }
  return folders;
}

json verify(const std::vector<std::string>& folders, int level, const std::string& ops = "") {
  const TemporaryFolder folder;
  const std::string file = folder.path("report.json");
  std::vector<std::string> arguments{"verify", "--strict", "--level", std::to_string(level),
                                     "--json", file};
  if (!ops.empty()) arguments.push_back("--ops=" + ops);
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

// The matrix of one plugin: nothing skipped, no value without something to compare it with.
void expect_full(const json& report) {
  EXPECT_EQ(report.at("skipped"), 0);
  EXPECT_EQ(report.at("distinct"), report.at("cases")) << "no case is run twice";
  for (const json& plugin : report.at("plugins")) {
    expect_values_covered(plugin);
    // What has an effect is called, and no more: a second call need not give what the first has.
    std::set<std::string> effects;
    for (const json& entry : plugin.at("uncovered")) {
      if (entry.at("what") == "results") effects.insert(entry.at("op"));
    }
    for (const auto& [op, cases] : cases_by_op(plugin)) {
      if (effects.count(op) != 0) continue;
      EXPECT_GE(cases, 200u) << op;
    }
  }
}

// What fits a quick test; the level above it is part of the matrix below. Each test judges a share
// of a plugin's ops.
struct Share {
  std::string folder;
  std::string ops;  // names, with commas between; none: the plugin has no ops
  size_t number = 1;
};

constexpr size_t kShare = 30;

std::set<std::string> names_in(const std::string& folder) {
  const json manifest = read_json(folder + "/plugin.json");
  std::set<std::string> names;
  for (const json& op : manifest.value("ops", json::array())) names.insert(op.at("name"));
  for (const json& entry : manifest.value("kernels", json::array())) {
    for (const json& op : entry.at("ops")) names.insert(op);
  }
  for (const json& op : manifest.value("vjps", json::array())) names.insert(op);
  return names;
}

std::vector<Share> shares_of(const std::vector<std::string>& folders) {
  std::vector<Share> found;
  for (const std::string& folder : folders) {
    Share share{folder, "", 1};
    size_t count = 0;
    for (const std::string& name : names_in(folder)) {
      if (count == kShare) {
        found.push_back(share);
        share = {folder, "", share.number + 1};
        count = 0;
      }
      share.ops += (count++ ? "," : "") + name;
    }
    found.push_back(share);
  }
  return found;
}

std::string name_of_share(const testing::TestParamInfo<Share>& share) {
  return name_of(share.param.folder) + "_" + std::to_string(share.param.number);
}

// One op of so many, in alphabetical order: neighbours are often of one family. None if the plugin
// has no ops.
std::string spread_over(const std::string& folder, size_t every) {
  std::string ops;
  size_t count = 0;
  for (const std::string& name : names_in(folder)) {
    if (count++ % every == 0) ops += (ops.empty() ? "" : ",") + name;
  }
  return ops;
}

// Each plugin at level 2, those of many ops for a sixth of them: the rest is ConformanceSoak's.
// Returns how many cases there were.
uint64_t expect_full_at_level_2(const std::vector<std::string>& folders) {
  uint64_t cases = 0;
  for (const std::string& folder : folders) {
    const size_t every = names_in(folder).size() > 2 * kShare ? 6 : 1;
    const json report = verify({folder}, 2, spread_over(folder, every));
    expect_full(report);
    cases += report.at("distinct").get<uint64_t>();
  }
  return cases;
}

class Conformance : public testing::TestWithParam<Share> {};
TEST_P(Conformance, Quick) {
  if (runnable({GetParam().folder}).empty()) GTEST_SKIP() << "it is for another processor";
  const json report = verify({GetParam().folder}, 0, GetParam().ops);
  EXPECT_EQ(report.at("skipped"), 0);
  expect_values_covered(report.at("plugins").at(0));
}
INSTANTIATE_TEST_SUITE_P(
    Plugins, Conformance,
    testing::ValuesIn(shares_of(joined(joined(shipped(), others()), emulated()))), name_of_share);

TEST(ConformanceFull, ShippedPluginsAtLevel2) {
  EXPECT_GE(expect_full_at_level_2(runnable(shipped())), 30000U);
}
TEST(ConformanceFull, OtherDevicesAndStrictKernelsAtLevel2) { expect_full_at_level_2(others()); }

TEST(ConformanceFull, EmulatedGpuAtLevel1) {
  for (const std::string& folder : emulated()) {
    const json report = verify({folder}, 1, spread_over(folder, 20));
    EXPECT_EQ(report.at("skipped"), 0);
    expect_values_covered(report.at("plugins").at(0));
  }
}

// y (1 - y) near 1 shows the last digit of y a thousandfold: no fault of a device whose y is right.
TEST(ConformanceFull, ADeviceMayDifferFromTheHostInTheLastDigit) {
  for (const std::string& folder : emulated()) {
    if (!names_in(folder).contains("tenon.sigmoid")) continue;
    EXPECT_EQ(verify({folder}, 2, "tenon.sigmoid").at("skipped"), 0);
  }
}

class ConformanceSoak : public testing::TestWithParam<std::string> {};
TEST_P(ConformanceSoak, Level3) {
  if (runnable({GetParam()}).empty()) GTEST_SKIP() << "it is for another processor";
  EXPECT_EQ(verify({GetParam()}, 3).at("skipped"), 0);
}
INSTANTIATE_TEST_SUITE_P(Plugins, ConformanceSoak, testing::ValuesIn(joined(shipped(), others())),
                         [](const auto& plugin) { return name_of(plugin.param); });

class EmulatedConformanceSoak : public testing::TestWithParam<Share> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EmulatedConformanceSoak);
TEST_P(EmulatedConformanceSoak, Level2) {
  EXPECT_EQ(verify({GetParam().folder}, 2, GetParam().ops).at("skipped"), 0);
}
INSTANTIATE_TEST_SUITE_P(Plugins, EmulatedConformanceSoak, testing::ValuesIn(shares_of(emulated())),
                         name_of_share);

}  // namespace
}  // namespace tenon::tests
