// SPDX-License-Identifier: Apache-2.0
// tests/command/ops_test.cc: ops: the matrix, what is missing, the pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tenon/tenon.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tests/command/command_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

json op_of(const std::string& name) {
  const Done done = run_command({"ops", name, "--json"});
  EXPECT_EQ(done.status, 0) << done.err;
  const json found = done.json().at("ops");
  EXPECT_EQ(found.size(), 1u) << done.out;
  return found.at(0);
}

json named(const json& list, const std::string& name) {
  for (const json& item : list) {
    if (item.at("name") == name) return item;
  }
  ADD_FAILURE() << "no " << name << " in " << list.dump();
  return {};
}

TEST(CommandOps, HasALineForEachOp) {
  const json ops = run_command({"op", "list", "--json"}).json();
  const Done done = run_command({"ops"});
  EXPECT_EQ(done.status, 0) << done.err;
  for (const json& op : ops) {
    EXPECT_THAT(done.out, HasSubstr("\n" + op.at("name").get<std::string>() + " "));
  }
  const auto lines = std::count(done.out.begin(), done.out.end(), '\n');
  EXPECT_EQ(lines, static_cast<long>(ops.size()) + 2);  // a head, a sum
  EXPECT_EQ(run_command({"ops", "--json"}).json().at("ops").size(), ops.size());
}

TEST(CommandOps, TellsDtypesKernelsAndGradients) {
  const json add = op_of("tenon.add");
  EXPECT_FALSE(add.at("dtypes").contains("bool"));
  EXPECT_EQ(add.at("dtypes").at("f32"), true);
  EXPECT_EQ(add.at("kernels").at("tenon.ref"), "kernel");
  EXPECT_EQ(add.at("gradient"), "rule");
  EXPECT_EQ(add.at("gradient_twice"), "rule");
  EXPECT_EQ(add.at("missing"), json::array());
  const json argmax = op_of("argmax");
  EXPECT_EQ(argmax.at("gradient"), "none: the result is i64");
  EXPECT_EQ(argmax.at("gradient_twice"), "-");
  EXPECT_EQ(op_of("gelu_grad").at("gradient"), "composed");
  // A plugin's column is there where it has a kernel of any op shown.
  const json both = run_command({"ops", "transpose", "add", "--json"}).json().at("ops");
  EXPECT_EQ(named(both, "tenon.transpose").at("kernels").at("tenon.ref"), "view");
}

TEST(CommandOps, TakesPatternsOfNames) {
  const json all = run_command({"ops", "soft*", "tenon.add", "--json"}).json().at("ops");
  for (const json& op : all) {
    EXPECT_THAT(op.at("name").get<std::string>(),
                testing::AnyOf(StartsWith("tenon.soft"), testing::StrEq("tenon.add")));
  }
  EXPECT_GE(all.size(), 2u);
  const Done none = run_command({"ops", "nosuch*"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("tenon op list"));
}

// With the ops alone, and no backend, they have no kernels.
TEST(CommandOps, MissingNamesOnlyWhatIsNotThere) {
  const Done none = run_command({"ops", "add", "--missing"});
  EXPECT_EQ(none.out, "0 of 1 op with something missing\n");
  EXPECT_EQ(none.status, 0);
  const TemporaryFolder folder;
  const std::string tree = folder.path("tree");
  for (const char* part : {"bin", "lib", "plugins"}) {
    std::filesystem::create_directories(tree + "/" + part);
  }
  std::filesystem::copy(command_path(), tree + "/bin/tenon");
  const std::filesystem::path library = std::filesystem::canonical(library_path());
  std::filesystem::copy(library, tree + "/lib/libtenon.so." + std::to_string(TENON_VERSION_MAJOR));
  copy_plugin("tenon.ops", tree + "/plugins");
  const Done done = run_program({tree + "/bin/tenon", "ops", "add", "--missing"});
  EXPECT_THAT(done.out, HasSubstr("tenon.add: no kernel, no composition\n"));
  EXPECT_EQ(done.status, 0);  // its gradient has a rule
}

// A float op of a plugin that says nothing of gradients, with a kernel for f32 alone.
TEST(CommandOps, AFloatOpWithoutGradientOrReasonIsAFinding) {
  const TemporaryFolder folder;
  copy_plugin("hostile.good", folder.path("plugins"), hostile_dir());
  const auto ops = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--plugin-path", folder.path("plugins"), "ops"});
    return run_command(arguments);
  };
  const Done done = ops({"hostile.*", "--missing"});
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(done.out, HasSubstr("hostile.good: nothing runs f16, bf16, f64\n"));
  EXPECT_THAT(done.out,
              HasSubstr("hostile.good: no backward rule, no composition, no reason stated\n"));
  EXPECT_EQ(ops({"hostile.*", "--missing", "--json"}).status, 1);
  const Done matrix = ops({"hostile.*"});
  EXPECT_EQ(matrix.status, 0);  // only who asks what is missing is told by the status
  EXPECT_THAT(matrix.out, testing::ContainsRegex("hostile.good +hostile.good .* no +no +yes +no "));
}

TEST(CommandOps, WritesAPageForEachOp) {
  const TemporaryFolder folder;
  const Done done = run_command({"ops", "sum", "to", "--pages", folder.path("pages"), "--json"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.json().at("pages"), 2);
  const std::string page = text_of(folder.path("pages/tenon.sum.md"));
  EXPECT_THAT(page, AllOf(StartsWith("# tenon.sum\n"), HasSubstr("    sum(x: T[...]"),
                          HasSubstr("| `axes` | `int[]` or none | none |"),
                          HasSubstr("## Gradient\n\nBackward rule of `tenon.ops`"),
                          HasSubstr("| tenon.ref | cpu |"), HasSubstr("`tenon.sum(f64[2,3])`"),
                          HasSubstr("`TENON_E_ATTRIBUTE`"), HasSubstr("## Tolerances")));
  EXPECT_THAT(page, Not(HasSubstr(folder.path(""))));
  EXPECT_THAT(text_of(folder.path("pages/tenon.to.md")), HasSubstr("Tenon itself moves the data"));
  EXPECT_THAT(text_of(folder.path("pages/README.md")), HasSubstr("[tenon.sum](tenon.sum.md)"));
}

TEST(CommandOps, PagesCannotBeAskedForWithMissing) {
  EXPECT_EQ(run_command({"ops", "--missing", "--pages", "/tmp"}).status, 2);
}

}  // namespace
}  // namespace tenon::tests
