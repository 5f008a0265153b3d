// SPDX-License-Identifier: Apache-2.0
// tests/command/lock_test.cc: `tenon plugin lock`, `tenon plugin check`, `--allowlist`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <map>

#include "tests/command/command_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> ids_of(const json& entries) {
  std::vector<std::string> ids;
  for (const json& entry : entries) ids.push_back(entry.at("id"));
  return ids;
}

class CommandLock : public testing::Test {
 protected:
  void SetUp() override {
    copy_plugin("hostile.good", plugins_, hostile_dir());
    copy_plugin("hostile.aborts_init", plugins_, hostile_dir());
    const Done done = lock({plugins_});
    if (done.err.find("libcrypto") != std::string::npos) GTEST_SKIP() << done.err;
    ASSERT_EQ(done.status, 0) << done.err;
  }

  Done lock(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"plugin", "lock", "-o", file_});
    return run_command(arguments);
  }
  // Compares with what the usual search and `plugins_` hold.
  json check() {
    const Done done =
        run_command({"--plugin-path", plugins_, "plugin", "check", "--allowlist", file_, "--json"});
    json answer = done.json();
    const bool good =
        answer.at("new").empty() && answer.at("changed").empty() && answer.at("missing").empty();
    EXPECT_EQ(done.status, good ? 0 : 1) << done.out;
    return answer;
  }

  TemporaryFolder folder_;
  const std::string plugins_ = folder_.path("plugins");
  const std::string file_ = folder_.path("plugins.lock");
};

TEST_F(CommandLock, WritesEveryPluginSortedById) {
  const json written = read_json(file_);
  EXPECT_EQ(written.at("lock"), 1);
  EXPECT_THAT(ids_of(written.at("plugins")), ElementsAre("hostile.aborts_init", "hostile.good"));
  const json good = written.at("plugins")[1];
  const json manifest = read_json(plugins_ + "/hostile.good/plugin.json");
  EXPECT_EQ(good, json({{"id", "hostile.good"},
                        {"version", "1.0"},
                        {"library", "hostile.good.so"},
                        {"sha256", manifest.at("sha256")}}));
  struct stat info {};
  ASSERT_EQ(stat(file_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0644u);
}

// `sha256sum` is there wherever a test can run.
TEST_F(CommandLock, HashesAsOthersDo) {
  const std::string library = plugins_ + "/hostile.good/hostile.good.so";
  const Done done = run_program({"/usr/bin/sha256sum", library});
  ASSERT_EQ(done.status, 0);
  EXPECT_EQ(read_json(file_).at("plugins")[1].at("sha256"), done.out.substr(0, 64));
}

TEST_F(CommandLock, WritesOverNothingUnlessTold) {
  const Done refused = lock({plugins_});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("is there already; --force writes over it"));
  const Done forced = lock({"--force", plugins_ + "/hostile.good"});
  EXPECT_EQ(forced.status, 0) << forced.err;
  EXPECT_THAT(ids_of(read_json(file_).at("plugins")), ElementsAre("hostile.good"));
}

TEST_F(CommandLock, LeavesOutWhatIsRefused) {
  folder_.write("plugins/acme.broken/plugin.json", "not JSON");
  const Done done = lock({"--force", plugins_, "--json"});
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(done.err, HasSubstr("left out acme.broken"));
  EXPECT_THAT(ids_of(done.json().at("plugins")),
              ElementsAre("hostile.aborts_init", "hostile.good"));
  EXPECT_THAT(ids_of(done.json().at("left_out")), ElementsAre("acme.broken"));
}

TEST_F(CommandLock, RefusesToLockNothing) {
  const std::string empty = folder_.path("empty");
  fs::create_directories(empty);
  const Done done = lock({"--force", empty});
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(done.err, HasSubstr("no plugin was found to lock"));
  EXPECT_EQ(read_json(file_).at("plugins").size(), 2u);
  EXPECT_EQ(lock({"--force", folder_.path("nosuch")}).status, 2);
}

TEST_F(CommandLock, CheckNamesNewChangedAndMissing) {
  const json same = check();
  EXPECT_EQ(same.at("same"), 2);
  EXPECT_EQ(same.at("changed"), json::array());
  // The tree's own plugins are found too, and were not locked.
  EXPECT_THAT(ids_of(same.at("new")), testing::IsSupersetOf({"tenon.ops", "tenon.ref"}));

  std::ofstream(plugins_ + "/hostile.good/hostile.good.so", std::ios::binary | std::ios::app)
      << '!';
  fs::remove_all(plugins_ + "/hostile.aborts_init");
  const json other = check();
  EXPECT_EQ(other.at("same"), 0);
  EXPECT_THAT(ids_of(other.at("changed")), ElementsAre("hostile.good"));
  EXPECT_THAT(ids_of(other.at("missing")), ElementsAre("hostile.aborts_init"));
  const Done text =
      run_command({"--plugin-path", plugins_, "plugin", "check", "--allowlist", file_});
  EXPECT_THAT(text.out, HasSubstr("  changed  hostile.good: 1.0 "));
  EXPECT_THAT(text.out, HasSubstr("  missing  hostile.aborts_init\n"));
}

TEST_F(CommandLock, CheckIsContentAfterLockingWhatIsFound) {
  const Done done =
      run_command({"--plugin-path", plugins_, "plugin", "lock", "--force", "-o", file_});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(check().at("new"), json::array());
  // That one alone is gone is a finding too.
  fs::remove_all(plugins_ + "/hostile.aborts_init");
  EXPECT_THAT(ids_of(check().at("missing")), ElementsAre("hostile.aborts_init"));
}

TEST_F(CommandLock, OnlyWhatIsLockedIsOpened) {
  const Done done =
      run_command({"--plugin-path", plugins_, "--allowlist", file_, "doctor", "--json"});
  std::map<std::string, std::string> states;
  const json answer = done.json();
  for (const json& plugin : answer.at("plugins")) states[plugin.at("id")] = plugin.at("state");
  EXPECT_EQ(states["hostile.good"], "open") << done.out;
  EXPECT_EQ(states["tenon.ops"], "refused") << done.out;
}

TEST_F(CommandLock, CheckRefusesWhatIsNoLockFile) {
  for (const char* text :
       {"", "not JSON", "[]", "{}", "{\"lock\": 2, \"plugins\": []}",
        "{\"lock\": 1, \"plugins\": [{\"id\": \"a.b\"}]}", "{\"lock\": 1, \"plugins\": [3]}"}) {
    const std::string bad = folder_.write("bad.lock", text);
    const Done done = run_command({"plugin", "check", "--allowlist", bad});
    EXPECT_EQ(done.status, 1) << text;
    EXPECT_THAT(done.err, HasSubstr(bad)) << text;
  }
  EXPECT_EQ(run_command({"plugin", "check", "--allowlist", folder_.path("nosuch")}).status, 1);
}

}  // namespace
}  // namespace tenon::tests
