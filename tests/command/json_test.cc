// SPDX-License-Identifier: Apache-2.0
// tests/command/json_test.cc: every subcommand prints JSON when asked, with the members that
// docs/tools.md names, failures included.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/command/command_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;

void expect_members(const json& object, const std::vector<std::string>& names) {
  ASSERT_TRUE(object.is_object()) << object.dump();
  for (const std::string& name : names) EXPECT_TRUE(object.contains(name)) << name;
}

TEST(CommandJson, Lists) {
  const json answer = run_command({"list", "--json"}).json();
  expect_members(answer, {"plugins", "paths"});
  for (const json& plugin : answer.at("plugins")) {
    expect_members(plugin, {"id", "version", "license", "folder", "library", "state", "reason",
                            "report", "ops", "kernels", "vjps", "optimizers", "schedules",
                            "datasets", "formats", "devices"});
    expect_members(plugin,
                   {"id", "version", "license", "folder", "library", "state", "reason", "report",
                    "ops", "kernels", "vjps", "optimizers", "datasets", "layers", "devices"});
  }
  for (const json& path : answer.at("paths")) {
    expect_members(path, {"folder", "origin", "problem", "found", "refused"});
  }
}

TEST(CommandJson, Doctor) {
  const json answer = run_command({"doctor", "--json"}).json();
  expect_members(answer,
                 {"summary", "findings", "plugins", "devices", "machine", "paths", "environment"});
  expect_members(answer.at("summary"), {"plugins", "loaded", "refused", "excluded", "devices",
                                        "usable_devices", "problems"});
  expect_members(answer.at("machine"), {"architecture", "cpu_features", "built_for", "threads",
                                        "available_cpus", "openmp", "blas", "variables"});
  for (const json& plugin : answer.at("plugins")) {
    expect_members(plugin, {"hash", "missing_libraries", "excluded"});
  }
}

TEST(CommandJson, Probe) {
  const json answer = run_command({"doctor", "--probe", "tenon.data", "--json"}).json();
  expect_members(answer, {"summary", "plugins"});
  expect_members(answer.at("summary"), {"plugins", "ok", "problems"});
  expect_members(answer.at("plugins").at(0), {"id", "folder", "verdict", "reason", "problems",
                                              "notes", "registers", "growth", "advice"});
  EXPECT_GT(answer.at("plugins").at(0).at("registers").at("datasets"), 0);
}

TEST(CommandJson, Ops) {
  for (const json& op : run_command({"op", "list", "--json"}).json()) {
    expect_members(op, {"name", "revision", "schema", "doc", "flags", "role", "plugin", "kernels",
                        "vjp", "vjp_twice", "compose", "report"});
  }
  const json explained = run_command({"explain", "tenon.add", "--json"}).json();
  ASSERT_EQ(explained.size(), 1u);
  EXPECT_EQ(explained[0].at("name"), "tenon.add");
  expect_members(run_command({"explain", "tenon.add", "f32[2], f32[2]", "--json"}).json(),
                 {"op", "plugin", "device", "inputs", "dtypes", "casts", "outputs", "chosen",
                  "candidates", "backward", "report"});
}

TEST(CommandJson, InspectAndManifest) {
  const std::string library = std::string(plugin_dir()) + "/tenon.ops/tenon.ops.so";
  expect_members(run_command({"inspect", library, "--json"}).json(),
                 {"kind", "library", "states", "manifest", "findings"});
  const TemporaryFolder folder;
  const std::string file = folder.path("plugin.json");
  const json answer = run_command({"manifest", library, "-o", file, "--json"}).json();
  expect_members(answer, {"file", "manifest"});
  EXPECT_EQ(answer.at("file"), file);
  EXPECT_EQ(answer.at("manifest"), read_json(file));
}

TEST(CommandJson, New) {
  const TemporaryFolder folder;
  const json answer =
      run_command({"new", "op", "acme.thing", "--into", folder.path(""), "--json"}).json();
  expect_members(answer, {"folder", "files"});
  EXPECT_THAT(answer.at("files").get<std::vector<std::string>>(), Contains("CMakeLists.txt"));
}

// What the program prints goes to standard error.
TEST(CommandJson, Trace) {
  const TemporaryFolder folder;
  const std::string file = folder.path("trace.json");
  const Done done =
      run_command({"trace", "--json", "-o", file, "--", command_path(), "op", "list"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.json(), json({{"trace", file}, {"program_status", 0}}));
  EXPECT_THAT(done.err, HasSubstr("tenon.add"));
}

TEST(CommandJson, PluginLockAndCheck) {
  const TemporaryFolder folder;
  const std::string file = folder.path("lock");
  const Done lock = run_command({"plugin", "lock", "-o", file, "--json"});
  if (lock.err.find("libcrypto") != std::string::npos) GTEST_SKIP() << lock.err;
  expect_members(lock.json(), {"file", "plugins", "left_out"});
  expect_members(run_command({"plugin", "check", "--allowlist", file, "--json"}).json(),
                 {"file", "same", "new", "changed", "missing", "left_out"});
}

TEST(CommandJson, Failures) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"explain", "tenon.nosuch", "--json"},
        {"inspect", "/nonexistent", "--json"},
        {"plugin", "check", "--allowlist", "/nonexistent", "--json"},
        {"manifest", "/nonexistent", "--json"}}) {
    const Done done = run_command(arguments);
    EXPECT_EQ(done.status, 1) << arguments[0];
    expect_members(done.json(), {"error"});
  }
}

}  // namespace
}  // namespace tenon::tests
