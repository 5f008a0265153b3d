// SPDX-License-Identifier: Apache-2.0
// tests/command/probe_test.cc: `tenon doctor --probe`, on plugins of which each does one thing that
// plugins must not do (tests/command/plugins), and on the tree's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/command/command_support.h"

namespace tenon::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::MatchesRegex;

// The answer about plugin "hostile.<name>", which misbehaves from its load on.
json probe(const std::string& name, const std::string& seconds = "20") {
  const std::string id = "hostile." + name;
  const Done done = run_command({"--plugin-path", hostile_dir(), "doctor", "--probe", id,
                                 "--probe-timeout", seconds, "--json"},
                                {{"TENON_TEST_HOSTILE", "1"}});
  const json answer = done.json();
  EXPECT_EQ(answer.at("plugins").size(), 1u) << done.out;
  json plugin = answer.at("plugins").at(0);
  EXPECT_EQ(plugin.at("id"), id);
  EXPECT_EQ(done.status, plugin.at("verdict") == "ok" ? 0 : 1) << done.err;
  return plugin;
}

// It ended its process, in this way.
void expect_end(const std::string& name, const std::string& verdict, const std::string& reason,
                const std::string& seconds = "20") {
  const json plugin = probe(name, seconds);
  EXPECT_EQ(plugin.at("verdict"), verdict) << plugin.dump(2);
  EXPECT_EQ(plugin.at("reason"), reason);
  EXPECT_NE(plugin.at("advice"), "");
}

// It was opened, its sample ran, and there is one problem.
json expect_problem(const std::string& name) {
  const json plugin = probe(name);
  EXPECT_EQ(plugin.at("verdict"), "misbehaves") << plugin.dump(2);
  EXPECT_EQ(plugin.at("registers").at("sample_calls"), 1) << plugin.dump(2);
  EXPECT_EQ(plugin.at("problems").size(), 1u) << plugin.dump(2);
  return plugin.at("problems").at(0);
}

TEST(ProbeHostile, APluginInOrder) {
  const json plugin = probe("good");
  EXPECT_EQ(plugin.at("verdict"), "ok") << plugin.dump(2);
  EXPECT_EQ(plugin.at("problems"), json::array());
  EXPECT_EQ(plugin.at("notes"), json::array());
  EXPECT_EQ(plugin.at("registers").at("ops"), 1);
  EXPECT_EQ(plugin.at("registers").at("kernels"), 1);
  EXPECT_EQ(plugin.at("registers").at("sample_calls"), 1);
}

TEST(ProbeHostile, PrintsWhenLoaded) {
  EXPECT_EQ(expect_problem("prints_load"),
            "printed to stdout while loading its library: \"hello from a constructor\"");
}

TEST(ProbeHostile, PrintsInItsKernel) {
  EXPECT_EQ(expect_problem("prints_launch"),
            "printed to stderr while running sample \"f32[3]\" of hostile.prints_launch on cpu: "
            "\"launched!\"");
}

TEST(ProbeHostile, PrintsWithoutEnd) {
  const json plugin = probe("prints_much");
  EXPECT_EQ(plugin.at("verdict"), "crashed") << plugin.dump(2);
  EXPECT_EQ(plugin.at("reason"),
            "crashed with SIGXFSZ while loading its library (it wrote more than 64 MiB to one "
            "file)");
  EXPECT_EQ(plugin.at("problems"), json::array({"printed to stdout: \"again\""}));
}

TEST(ProbeHostile, ExitsWhenLoaded) {
  expect_end("exits_load", "exited",
             "ended the process with exit status 3 while loading its library");
}

TEST(ProbeHostile, ExitsInInitAsIfAllWereWell) {
  expect_end("exits_init", "exited", "ended the process with exit status 0 while running its init");
}

TEST(ProbeHostile, ExitsWhenTheProcessEnds) {
  expect_end("exits_late", "exited",
             "ended the process with exit status 7 while ending the process");
}

TEST(ProbeHostile, CrashesWhenLoaded) {
  expect_end("crashes_load", "crashed", "crashed with SIGSEGV while loading its library");
}

TEST(ProbeHostile, CrashesInInit) {
  expect_end("crashes_init", "crashed", "crashed with SIGSEGV while running its init");
}

TEST(ProbeHostile, CrashesInItsKernel) {
  expect_end("crashes_launch", "crashed",
             "crashed with SIGSEGV while running sample \"f32[3]\" of hostile.crashes_launch on "
             "cpu");
}

TEST(ProbeHostile, CrashesInRelease) {
  expect_end("crashes_release", "crashed", "crashed with SIGSEGV while running its release");
}

TEST(ProbeHostile, AbortsInInit) {
  expect_end("aborts_init", "crashed", "crashed with SIGABRT while running its init");
}

TEST(ProbeHostile, HangsInInit) {
  expect_end("hangs_init", "hung", "hung while running its init: no progress for 3 s; killed", "3");
}

TEST(ProbeHostile, HangsInItsKernel) {
  expect_end("hangs_launch", "hung",
             "hung while running sample \"f32[3]\" of hostile.hangs_launch on cpu: no progress for "
             "3 s; killed",
             "3");
}

TEST(ProbeHostile, FailsItsOwnSample) {
  EXPECT_THAT(expect_problem("fails_launch").get<std::string>(),
              MatchesRegex("sample \"f32\\[3\\]\" of hostile.fails_launch on cpu should give "
                           "TENON_OK, and gives .*TENON_E_DATA.*"));
}

TEST(ProbeHostile, LeaksFileDescriptors) {
  EXPECT_EQ(expect_problem("leaks_file"),
            "leaks file descriptors: 50 more after 50 cycles of opening and releasing it "
            "(/dev/zero)");
}

// What is kept once is no leak.
TEST(ProbeHostile, KeepsAFileDescriptor) {
  const json plugin = probe("keeps_file");
  EXPECT_EQ(plugin.at("verdict"), "ok") << plugin.dump(2);
  EXPECT_EQ(plugin.at("notes"),
            json::array({"keeps 1 file descriptor after its release (/dev/zero)"}));
}

TEST(ProbeHostile, LeaksThreads) {
  EXPECT_EQ(expect_problem("leaks_thread"),
            "leaks threads: 50 more after 50 cycles of opening and releasing it");
}

TEST(ProbeHostile, LeaksMemory) {
  EXPECT_THAT(expect_problem("leaks_memory").get<std::string>(),
              MatchesRegex("leaks memory: about 6[5-7][0-9][0-9][0-9] bytes in each cycle of "
                           "opening and releasing it"));
}

TEST(ProbeHostile, SetsASignalHandler) {
  EXPECT_EQ(expect_problem("sets_handler"),
            "changed the handler of SIGUSR1 while running its init");
}

TEST(ProbeHostile, ChangesTheCurrentDirectory) {
  EXPECT_THAT(expect_problem("sets_folder").get<std::string>(),
              MatchesRegex("changed the current directory from \"/.+\" to \"/\" while running its "
                           "init"));
}

TEST(ProbeHostile, ChangesTheLocale) {
  EXPECT_EQ(expect_problem("sets_locale"),
            "changed the locale from \"C\" to \"C.UTF-8\" while loading its library");
}

TEST(ProbeHostile, ChangesTheUmask) {
  EXPECT_THAT(expect_problem("sets_umask").get<std::string>(),
              MatchesRegex("changed the umask from 0[0-7]+ to 0000 while running sample "
                           "\"f32\\[3\\]\" of hostile.sets_umask on cpu"));
}

TEST(ProbeHostile, MakesSubnormalsZero) {
  EXPECT_EQ(expect_problem("sets_float"),
            "made floating-point subnormals zero (built with -ffast-math?) while loading its "
            "library");
}

TEST(ProbeHostile, ChangesTheRounding) {
  EXPECT_THAT(expect_problem("sets_rounding").get<std::string>(),
              MatchesRegex("changed .* while running sample \"f32\\[3\\]\" of "
                           "hostile.sets_rounding on cpu"));
}

TEST(ProbeHostile, ARefusedPluginIsNotOpened) {
  const TemporaryFolder folder;
  folder.write("acme.broken/plugin.json", "not JSON");
  const Done done = run_command(
      {"--plugin-path", folder.path("."), "doctor", "--probe", "acme.broken", "--json"});
  EXPECT_EQ(done.status, 1);
  const json plugin = done.json().at("plugins").at(0);
  EXPECT_EQ(plugin.at("verdict"), "refused");
  EXPECT_THAT(plugin.at("reason").get<std::string>(), HasSubstr("is not JSON"));
}

// The manifest is in order, so it is the host that says no when it opens the library.
TEST(ProbeHostile, APluginTheHostRefuses) {
  const TemporaryFolder folder;
  const std::string plugin = copy_plugin("hostile.good", folder.path("."), hostile_dir());
  json manifest = read_json(plugin + "/plugin.json");
  manifest["version"] = "9.9";
  folder.write("hostile.good/plugin.json", manifest.dump());
  const Done done = run_command(
      {"--plugin-path", folder.path("."), "doctor", "--probe", "hostile.good", "--json"});
  EXPECT_EQ(done.status, 1);
  const json answer = done.json().at("plugins").at(0);
  EXPECT_EQ(answer.at("verdict"), "refused") << answer.dump(2);
  EXPECT_THAT(answer.at("reason").get<std::string>(), HasSubstr("9.9"));
}

TEST(ProbeHostile, AnUnknownIdAndAWrongTimeout) {
  const Done unknown = run_command({"doctor", "--probe", "acme.nosuch"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.err, HasSubstr("no plugin acme.nosuch was found"));
  EXPECT_EQ(run_command({"doctor", "acme.nosuch"}).status, 2);
  EXPECT_EQ(run_command({"doctor", "--timeout", "0"}).status, 2);
  EXPECT_EQ(run_command({"doctor", "--probe", "--probe-timeout", "0"}).status, 2);
}

TEST(ProbeHostile, IsPrintedForPeople) {
  const Done done = run_command(
      {"--plugin-path", hostile_dir(), "doctor", "--probe", "hostile.good", "hostile.aborts_init"},
      {{"TENON_TEST_HOSTILE", "1"}});
  EXPECT_EQ(done.status, 1);
  EXPECT_EQ(done.out,
            "  hostile.aborts_init: crashed\n"
            "    crashed with SIGABRT while running its init\n"
            "    -> remove the plugin, or exclude it by name, and report it to its author\n"
            "  hostile.good: ok (1 op, 1 kernel, 1 sample call)\n"
            "2 plugins probed, 1 ok, 1 not\n");
}

// The tree's own plugins keep the rules, all their samples and backward rules included.
TEST(ProbeOwnFull, IsContentWithTheTree) {
  const Done done = run_command({"doctor", "--probe", "--probe-timeout", "60", "--json"});
  EXPECT_EQ(done.status, 0) << done.out << done.err;
  const json answer = done.json();
  EXPECT_GE(answer.at("plugins").size(), 4u);
  for (const json& plugin : answer.at("plugins")) {
    if (plugin.at("verdict") == "unsuited") continue;
    EXPECT_EQ(plugin.at("verdict"), "ok") << plugin.dump(2);
    EXPECT_EQ(plugin.at("problems"), json::array()) << plugin.at("id");
  }
}

}  // namespace
}  // namespace tenon::tests
