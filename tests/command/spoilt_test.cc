// SPDX-License-Identifier: Apache-2.0
// tests/command/spoilt_test.cc: plugins that Tenon refuses, every member of every table wrong in
// turn (tests/hostile/cases), and plugins whose code ends the process: verify, doctor, inspect and
// manifest each end with exit status 1 and name what is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tenon/plugin.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/command/command_support.h"
#include "tests/hostile/case_file.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

struct Spoilt {
  std::string name;
  bool in_cc = false;  // of the library in C++
  std::string reason;  // the host's, with placeholders
};

// The cases of one file that the host refuses without anything else being wrong.
void add_spoilt(const fs::path& file, std::vector<Spoilt>& all) {
  const std::string mark = "CASE(";
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(mark)) continue;
    const std::string name = line.substr(mark.size(), line.find(')') - mark.size());
    const Case what = read_case(file, name);
    const bool alone = what.manifest.empty() && what.before.empty() && what.between.empty();
    const bool refused = what.verdict == "refused" || what.verdict == "failed";
    if (alone && refused) all.push_back({name, file.extension() == ".cc", what.text});
  }
}

std::vector<Spoilt> all_spoilt() {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::directory_iterator(std::string(source_dir()) + "/tests/hostile/cases")) {
    const std::string ending = entry.path().extension();
    if (ending == ".c" || ending == ".cc") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Spoilt> all;
  for (const fs::path& file : files) add_spoilt(file, all);
  return all;
}

// The plugin of tests/hostile, which is good where no case is chosen.
class Place {
 public:
  explicit Place(bool in_cc) {
    const std::string built = std::string(build_dir()) + "/tests/hostile/libraries/";
    json manifest = read_json(built + "good.json");
    manifest["library"] = "hostile.so";
    manifest.erase("sha256");
    folder_.write("hostile.plugin/plugin.json", manifest.dump());
    fs::copy_file(built + (in_cc ? "cc.so" : "c.so"), library());
    // What the plugin stands on, and no more, so that hundreds are looked at in seconds.
    const json listed = run_command({"list", "--json"}).json();
    for (const json& plugin : listed.at("plugins")) {
      const std::string id = plugin.at("id");
      if (id == "tenon.ops" || id == "tenon.ref") continue;
      options_.insert(options_.end(), {"--exclude", id});
    }
    options_.insert(options_.end(), {"--plugin-path", folder_.path(".")});
  }

  std::string folder() const { return folder_.path("hostile.plugin"); }
  std::string library() const { return folder_.path("hostile.plugin/hostile.so"); }

  // `name` of the case; empty: the good plugin.
  Done run(const std::string& name, const std::vector<std::string>& command) const {
    std::vector<std::string> arguments = options_;
    arguments.insert(arguments.end(), command.begin(), command.end());
    const Environment choice = {{"TENON_HOSTILE_CASE", name}};
    return run_command(arguments, name.empty() ? Environment() : choice);
  }

 private:
  TemporaryFolder folder_;
  std::vector<std::string> options_;
};

class SpoiltPlugins : public testing::Test {
 protected:
  const Place& place_of(const Spoilt& spoilt) const { return spoilt.in_cc ? cc_ : c_; }

  std::string reason_of(const Spoilt& spoilt) const {
    const char* name = sanitizer() == TENON_SANITIZER_ADDRESS  ? "AddressSanitizer"
                       : sanitizer() == TENON_SANITIZER_THREAD ? "ThreadSanitizer"
                                                               : "no sanitizer";
    return filled_in(spoilt.reason, {{"library", place_of(spoilt).library()},
                                     {"folder", place_of(spoilt).folder()},
                                     {"sanitizer", name}});
  }

  void expect_doctor(const Spoilt& spoilt) const {
    const Done done = place_of(spoilt).run(spoilt.name, {"doctor", "--json"});
    EXPECT_EQ(done.status, 1) << done.out << done.err;
    const json answer = done.json();
    for (const json& finding : answer.at("findings")) {
      if (finding.at("about").get<std::string>().starts_with("plugin hostile.plugin in ")) {
        EXPECT_THAT(finding.at("problem").get<std::string>(), HasSubstr(reason_of(spoilt)));
        return;
      }
    }
    ADD_FAILURE() << "no finding: " << done.out;
  }

  void expect_verify(const Spoilt& spoilt) const {
    const Place& place = place_of(spoilt);
    const Done done =
        place.run(spoilt.name, {"verify", place.folder(), "--level", "0", "--json", "-"});
    EXPECT_EQ(done.status, 1) << done.out << done.err;
    const json failures = done.json().at("plugins").at(0).at("failures");
    ASSERT_EQ(failures.size(), 1u) << done.out;
    EXPECT_EQ(failures[0].at("cause"), "unusable");
    EXPECT_THAT(failures[0].at("words").get<std::string>(), HasSubstr(reason_of(spoilt)));
  }

  // By the library alone: where that is in order and plugin.json disagrees, nothing is wrong for
  // `manifest`, and `inspect` says it in its own words.
  void expect_refused(const Spoilt& spoilt, const std::vector<std::string>& command) const {
    if (reason_of(spoilt).starts_with("plugin.json and the library disagree")) return;
    const Done done = place_of(spoilt).run(spoilt.name, command);
    EXPECT_EQ(done.status, 1) << done.out << done.err;
    EXPECT_EQ(done.out, "");
    EXPECT_THAT(done.err, HasSubstr(place_of(spoilt).library() + ": refused: "));
    const std::string thrown = "it has thrown an exception: ";
    std::string reason = reason_of(spoilt);
    if (reason.starts_with(thrown)) reason.erase(0, thrown.size());
    if (reason == "it has thrown") return;  // something without words
    EXPECT_THAT(done.err, HasSubstr(reason));
  }
  void expect_inspect(const Spoilt& spoilt) const {
    expect_refused(spoilt, {"inspect", place_of(spoilt).library()});
  }
  void expect_manifest(const Spoilt& spoilt) const {
    expect_refused(
        spoilt, {"--plugin-path", plugin_dir(), "manifest", place_of(spoilt).library(), "-o", "-"});
  }

 private:
  Place c_{false}, cc_{true};
};

using SpoiltHostile = SpoiltPlugins;
using SpoiltFull = SpoiltPlugins;

// Some of all tables, and what has slipped through before.
TEST_F(SpoiltHostile, SomeOfAllCasesByEveryCommand) {
  size_t number = 0;
  size_t named = 0;
  const std::set<std::string> before = {"answer_byte_order", "kernel_launch_null", "op_size_zero",
                                        "op_revision_zero"};
  for (const Spoilt& spoilt : all_spoilt()) {
    named += before.count(spoilt.name);
    if (!before.contains(spoilt.name) && number++ % 64 != 0) continue;
    SCOPED_TRACE(spoilt.name);
    expect_doctor(spoilt);
    expect_verify(spoilt);
    expect_inspect(spoilt);
    expect_manifest(spoilt);
  }
  EXPECT_GT(number, 200u);
  EXPECT_EQ(named, before.size());
}

TEST_F(SpoiltFull, EveryCaseByDoctor) {
  for (const Spoilt& spoilt : all_spoilt()) {
    SCOPED_TRACE(spoilt.name);
    expect_doctor(spoilt);
  }
}

// It asks the host as the doctor does, and takes longer.
TEST_F(SpoiltFull, EveryFourthCaseByVerify) {
  size_t number = 0;
  for (const Spoilt& spoilt : all_spoilt()) {
    if (number++ % 4 != 0) continue;
    SCOPED_TRACE(spoilt.name);
    expect_verify(spoilt);
  }
}

TEST_F(SpoiltFull, EveryCaseByInspectAndManifest) {
  for (const Spoilt& spoilt : all_spoilt()) {
    SCOPED_TRACE(spoilt.name);
    expect_inspect(spoilt);
    expect_manifest(spoilt);
  }
}

// A plugin that is in order is not refused here.
TEST(SpoiltTwin, TheGoodOneIsAccepted) {
  const Place place(false);
  EXPECT_EQ(place.run("", {"inspect", place.library()}).status, 0);
  EXPECT_EQ(place.run("", {"manifest", place.library(), "-o", "-"}).status, 0);
  const Done verify =
      place.run("", {"verify", place.folder(), "--level", "0", "--ops", "hostile.twice"});
  EXPECT_THAT(verify.out, HasSubstr("hostile.twice cpu"));
}

// ---- code that ends the process -----------------------------------------------------------------

TEST(SpoiltCodeHostile, InspectAndManifestOutliveIt) {
  for (const auto& [name, end] :
       {std::pair{"crashes_load", "crashed with SIGSEGV while loading its library"},
        std::pair{"crashes_init", "crashed with SIGSEGV while running its init"},
        std::pair{"crashes_release", "crashed with SIGSEGV while running its release"},
        std::pair{"aborts_init", "crashed with SIGABRT while running its init"},
        std::pair{"exits_load", "ended the process with exit status 3 while loading its library"},
        std::pair{"exits_init", "ended the process with exit status 0 while running its init"},
        std::pair{"exits_late", "ended the process with exit status 7 while ending the process"},
        std::pair{"hangs_init", "hung while running its init: no progress for 1 s; killed"}}) {
    SCOPED_TRACE(name);
    const std::string id = std::string("hostile.") + name;
    const std::string library = hostile_dir() + "/" + id + "/" + id + ".so";
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"inspect", library}, {"manifest", library, "-o", "-"}}) {
      std::vector<std::string> arguments = command;
      if (id == "hostile.hangs_init") arguments.insert(arguments.end(), {"--timeout", "1"});
      const Done done = run_command(arguments, {{"TENON_TEST_HOSTILE", "1"}});
      EXPECT_EQ(done.status, 1) << command[0];
      EXPECT_EQ(done.out, "") << command[0];
      EXPECT_THAT(done.err, HasSubstr(library + ": " + end)) << command[0];
    }
  }
}

// What it printed is not lost.
TEST(SpoiltCodeHostile, InspectPassesOnWhatAPluginPrints) {
  const std::string library = hostile_dir() + "/hostile.prints_load/hostile.prints_load.so";
  const Done done = run_command({"inspect", library, "--json"}, {{"TENON_TEST_HOSTILE", "1"}});
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.json().at("states").at("id"), "hostile.prints_load");
  EXPECT_THAT(done.err, HasSubstr("hello from a constructor"));
}

// Ops of others are known where these are found: `inspect` searches, `manifest` is told a folder.
TEST_F(SpoiltHostile, WhatItHasForOpsOfOthersIsCheckedBesideThem) {
  const auto all = all_spoilt();
  const auto spoilt = std::find_if(all.begin(), all.end(), [](const Spoilt& one) {
    return one.name == "backend_copy_contiguous";
  });
  ASSERT_NE(spoilt, all.end());
  expect_inspect(*spoilt);
  expect_manifest(*spoilt);
  const Done alone = run_command({"manifest", place_of(*spoilt).library(), "-o", "-"},
                                 {{"TENON_HOSTILE_CASE", spoilt->name}});
  EXPECT_EQ(alone.status, 0) << alone.err;
  EXPECT_EQ(alone.json().at("id"), "hostile.plugin");
}

}  // namespace
}  // namespace tenon::tests
