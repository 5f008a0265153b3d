// SPDX-License-Identifier: Apache-2.0
// tests/command/command_test.cc: list, doctor, op: what they print, their JSON, exit statuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tenon/tenon.h>

#include "tests/command/command_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsSupersetOf;

std::vector<std::string> ids_of(const json& plugins) {
  std::vector<std::string> ids;
  for (const json& plugin : plugins) ids.push_back(plugin.at("id"));
  return ids;
}

json named(const json& list, const std::string& name) {
  for (const json& item : list) {
    if (item.at("name") == name) return item;
  }
  ADD_FAILURE() << "no " << name << " in " << list.dump();
  return {};
}

TEST(CommandLine, WrongOnesExitWith2) {
  EXPECT_EQ(run_command({}).status, 2);
  EXPECT_EQ(run_command({"nosuch"}).status, 2);
  EXPECT_EQ(run_command({"op"}).status, 2);
  EXPECT_EQ(run_command({"explain"}).status, 2);
  EXPECT_EQ(run_command({"list", "--nosuch"}).status, 2);
  EXPECT_EQ(run_command({"inspect"}).status, 2);
  EXPECT_EQ(run_command({"manifest"}).status, 2);
  EXPECT_EQ(run_command({"trace"}).status, 2);
}

TEST(CommandFiles, AreWrittenWhereLinksLead) {
  const TemporaryFolder folder;
  const std::string link = folder.path("link"), self = folder.path("self");
  const std::string file = folder.path(std::string(255, 'f'));
  std::filesystem::create_symlink(file, link);
  std::filesystem::create_symlink("self", self);
  const auto lock = [](const std::string& to) {
    return run_command({"plugin", "lock", "--force", "-o", to});
  };
  const Done done = lock(link);
  if (done.err.find("libcrypto") != std::string::npos) GTEST_SKIP() << done.err;
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(std::filesystem::is_regular_file(file));
  EXPECT_THAT(lock(self).err,
              HasSubstr("self: cannot be written: Too many levels of symbolic links"));
  EXPECT_TRUE(std::filesystem::is_symlink(self));
}

TEST(CommandLine, UnknownCommandsAreNamedBesideThoseThatExist) {
  EXPECT_THAT(run_command({"nosuch"}).err, HasSubstr("no command \"nosuch\"; there are: list, "));
  EXPECT_THAT(run_command({"op", "show", "tenon.add"}).err,
              HasSubstr("tenon op has no command \"show\"; there are: list"));
  EXPECT_THAT(run_command({"op"}).err, HasSubstr("A subcommand is required"));
  EXPECT_THAT(run_command({"explain"}).err, HasSubstr("name is required"));
}

TEST(CommandLine, HelpAndVersionExitWith0) {
  EXPECT_THAT(run_command({"--help"}).out, HasSubstr("doctor"));
  EXPECT_EQ(run_command({"--help"}).status, 0);
  const Done version = run_command({"--version"});
  EXPECT_EQ(version.status, 0);
  const std::string number = std::to_string(TENON_VERSION_MAJOR) + "." +
                             std::to_string(TENON_VERSION_MINOR) + "." +
                             std::to_string(TENON_VERSION_PATCH);
  EXPECT_THAT(version.out, HasSubstr(number));
}

TEST(CommandList, NamesEveryPluginAndOpensNone) {
  const Done done = run_command({"list", "--json"});
  EXPECT_EQ(done.status, 0) << done.err;
  const json answer = done.json();
  EXPECT_THAT(ids_of(answer.at("plugins")),
              IsSupersetOf({"tenon.data", "tenon.ops", "tenon.optim", "tenon.ref"}));
  for (const json& plugin : answer.at("plugins")) {
    EXPECT_TRUE(plugin.at("state") == "found" || is_for_another_processor(plugin)) << plugin;
  }
  EXPECT_THAT(run_command({"list"}).out, HasSubstr("tenon.ref"));
}

TEST(CommandList, ShowsWhyAPluginWasRefused) {
  const TemporaryFolder folder;
  folder.write("acme.broken/plugin.json", "{\"id\": 3}");
  const Done done = run_command({"--plugin-path", folder.path("."), "list"});
  EXPECT_EQ(done.status, 0);
  EXPECT_THAT(done.out, HasSubstr("acme.broken  refused: "));
  EXPECT_THAT(done.out, HasSubstr("field \"id\""));
}

TEST(CommandDoctor, IsContentWithTheTree) {
  const Done done = run_command({"doctor", "--json"});
  const json answer = done.json();
  EXPECT_EQ(answer.at("findings"), json::array()) << done.out;
  EXPECT_EQ(done.status, 0);
  for (const json& plugin : answer.at("plugins")) {
    EXPECT_TRUE(plugin.at("state") == "open" || is_for_another_processor(plugin)) << plugin;
  }
  // A device kind without a device is no finding.
  json device;
  for (const json& each : answer.at("devices")) {
    if (each.at("kind") == "cpu") device = each;
    EXPECT_FALSE(each.at("failed")) << each;
  }
  ASSERT_FALSE(device.is_null());
  EXPECT_TRUE(device.at("autograd"));
  EXPECT_EQ(device.at("roles").at("missing"), json::array());
  EXPECT_GE(answer.at("environment").at("threads"), 1);
  EXPECT_THAT(run_command({"doctor"}).out, HasSubstr("; no problems\nplugins\n"));
}

TEST(CommandDoctor, ReportsARefusedPluginWithAdvice) {
  const TemporaryFolder folder;
  folder.write("acme.broken/plugin.json", "not JSON");
  const Done done = run_command({"--plugin-path", folder.path("."), "doctor", "--json"});
  EXPECT_EQ(done.status, 1);
  const json findings = done.json().at("findings");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].at("about").get<std::string>(), HasSubstr("acme.broken"));
  EXPECT_THAT(findings[0].at("problem").get<std::string>(), HasSubstr("is not JSON"));
  EXPECT_THAT(findings[0].at("advice").get<std::string>(), HasSubstr("tenon manifest"));
}

TEST(CommandDoctor, ReportsASearchPathSomebodyAskedFor) {
  const Done done = run_command({"--plugin-path", "/nonexistent/plugins", "doctor"});
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(done.out, HasSubstr("search path \"/nonexistent/plugins\" (option)"));
}

// A device without kernels for the roles: what is missing is named.
TEST(CommandDoctor, SaysWhyADeviceCannotDoAutograd) {
  const TemporaryFolder folder;
  const std::string tree = folder.path("tree");
  for (const char* part : {"bin", "lib", "plugins"}) {
    std::filesystem::create_directories(tree + "/" + part);
  }
  std::filesystem::copy(command_path(), tree + "/bin/tenon");
  const std::filesystem::path library = std::filesystem::canonical(library_path());
  std::filesystem::copy(library, tree + "/lib/libtenon.so." + std::to_string(TENON_VERSION_MAJOR));
  copy_plugin("tenon.ref", tree + "/plugins");
  const Done done = run_program({tree + "/bin/tenon", "doctor", "--json"});
  EXPECT_EQ(done.status, 1) << done.err;
  const json answer = done.json();
  ASSERT_EQ(answer.at("devices").size(), 1u);
  EXPECT_FALSE(answer.at("devices")[0].at("autograd"));
  EXPECT_THAT(answer.at("devices")[0].at("autograd_reason").get<std::string>(),
              HasSubstr("no op holds the role add"));
}

TEST(CommandOp, ListsOpsWithSchemas) {
  const Done done =
      run_command({"--exclude", "tenon.cpu", "--exclude", "tenon.cuda", "op", "list", "--json"});
  EXPECT_EQ(done.status, 0) << done.err;
  const json add = named(done.json(), "tenon.add");
  EXPECT_THAT(add.at("schema").get<std::string>(), HasSubstr("add(a: T[...], b: T[...])"));
  EXPECT_EQ(add.at("role"), "add");
  EXPECT_EQ(add.at("plugin"), "tenon.ops");
  EXPECT_EQ(add.at("vjp"), "tenon.ops");
  ASSERT_FALSE(add.at("kernels").empty());
  EXPECT_EQ(add.at("kernels")[0].at("plugin"), "tenon.ref");
}

TEST(CommandOp, ExplainsAnOp) {
  const Done done = run_command({"explain", "tenon.matmul"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("matmul("));
  EXPECT_THAT(done.out, HasSubstr("kernels, best first\n  tenon."));
  EXPECT_THAT(done.out, HasSubstr("\n  tenon.ref for cpu"));
  EXPECT_THAT(done.out, HasSubstr("backward rule of tenon.ops"));
  EXPECT_EQ(run_command({"explain", "matmul"}).out, done.out);
}

TEST(CommandOp, ExplainsACall) {
  const Done done =
      run_command({"--exclude", "tenon.cpu", "explain", "tenon.add", "i32[2,3], f32[3]", "--json"});
  EXPECT_EQ(done.status, 0) << done.err;
  const json call = done.json();
  EXPECT_EQ(call.at("dtypes").at("T"), "f32");
  ASSERT_EQ(call.at("casts").size(), 1u);
  EXPECT_EQ(call.at("casts")[0], json({{"input", "a"}, {"from", "i32"}, {"to", "f32"}}));
  ASSERT_EQ(call.at("outputs").size(), 1u);
  EXPECT_EQ(call.at("outputs")[0].at("shape"), json({2, 3}));
  EXPECT_EQ(call.at("outputs")[0].at("dtype"), "f32");
  EXPECT_EQ(call.at("device"), "cpu:0");
  EXPECT_EQ(call.at("chosen").at("plugin"), "tenon.ref");
  EXPECT_EQ(call.at("candidates")[0].at("reason"), "");
  EXPECT_EQ(call.at("backward").at("plugin"), "tenon.ops");
}

TEST(CommandOp, ExplainsAViewAndAttributes) {
  const Done done =
      run_command({"explain", "tenon.sum", "f32[2,3] | axes=[1], keepdims=true", "--json"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.json().at("outputs")[0].at("shape"), json({2, 1}));
  const Done view = run_command({"explain", "tenon.reshape", "f32[2,3] | shape=[6]", "--json"});
  EXPECT_EQ(view.status, 0) << view.err;
  EXPECT_EQ(view.json().at("chosen"), "view");
  EXPECT_THAT(run_command({"explain", "tenon.reshape", "f32[2,3] | shape=[6]"}).out,
              HasSubstr("a view: no kernel runs"));
}

TEST(CommandOp, PrintsTheErrorRecordOfARefusedCall) {
  const Done done = run_command({"explain", "tenon.add", "f32[2], f32[3]"});
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(done.err, HasSubstr("[TENON_E_SHAPE]"));
  EXPECT_THAT(done.err, HasSubstr("operand   b"));
  EXPECT_THAT(done.err, HasSubstr("found     f32[3]"));
}

TEST(CommandOp, RefusesUnknownOpsAttributesAndBadSamples) {
  const Done op = run_command({"explain", "tenon.nosuch"});
  EXPECT_EQ(op.status, 1);
  EXPECT_THAT(op.err, HasSubstr("TENON_E_NOT_FOUND"));
  for (const char* misspelt : {"softmaks", "tenon.Softmax", "acme.softmax"}) {
    EXPECT_THAT(run_command({"explain", misspelt}).err,
                HasSubstr("did you mean \"tenon.softmax\" (op)?"))
        << misspelt;
  }
  const Done attribute = run_command({"explain", "tenon.sum", "f32[2] | nosuch=1"});
  EXPECT_EQ(attribute.status, 1);
  EXPECT_THAT(attribute.err, HasSubstr("TENON_E_ATTRIBUTE"));
  const Done sample = run_command({"explain", "tenon.sum", "f33[2]"});
  EXPECT_EQ(sample.status, 2);
  EXPECT_THAT(sample.err, HasSubstr("sample column 1"));
}

}  // namespace
}  // namespace tenon::tests
