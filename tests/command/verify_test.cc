// SPDX-License-Identifier: Apache-2.0
// tests/command/verify_test.cc: the runner of `tenon verify`: what plugins do to the process that
// judges them (tests/command/plugins), the report, repeating a failure, wrong command lines, golden
// files that are malformed.
// Whether verdicts on values are right is tested in tests/conformance and tests/mutants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tenon/plugin.h>

#include <fstream>
#include <sstream>
#include <utility>

#include "tests/command/command_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

const Environment kMisbehave = {{"TENON_TEST_HOSTILE", "1"}};

Done verify(std::vector<std::string> arguments, const Environment& environment = {}) {
  std::vector<std::string> all{"--plugin-path", hostile_dir(), "verify"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_command(all, environment);
}

// The entry of "hostile.<name>", which misbehaves.
json verify_hostile(const std::string& name, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"hostile." + name, "--level", "0", "--json", "-"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Done done = verify(arguments, kMisbehave);
  EXPECT_EQ(done.status, 1) << done.err;
  const json answer = done.json();
  EXPECT_EQ(answer.at("plugins").size(), 1u) << done.out;
  return answer.at("plugins").at(0);
}

json first_failure(const json& plugin, const std::string& cause) {
  for (const json& failure : plugin.at("failures")) {
    if (failure.at("cause") == cause) return failure;
  }
  ADD_FAILURE() << "no failure of cause " << cause << ": " << plugin.at("failures").dump(2);
  return json::object();
}

// Through a shell, as a person would paste it.
Done in_shell(const std::string& command) {
  const std::string folder = std::filesystem::path(command_path()).parent_path();
  return run_program({"/bin/sh", "-c", command},
                     {{"TENON_TEST_HOSTILE", "1"}, {"PATH", folder + ":/usr/bin:/bin"}});
}

TEST(Verify, TakesAPluginBehindTheOps) {
  const Done done = run_command({"verify", "--level", "0", "--ops", "tenon.relu", "tenon.ref"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("of 1 plugin at level 0"));
}

// As where only the programs of the demo are built: the command without the conformance kit.
TEST(Verify, SaysWhereTheConformanceKitIsMissing) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path("bin"));
  std::filesystem::create_directories(folder.path("lib"));
  const std::string command = folder.path("bin/tenon");
  std::filesystem::copy(command_path(), command);
  std::filesystem::copy(std::filesystem::canonical(library_path()),
                        folder.path("lib/libtenon.so." + std::to_string(TENON_VERSION_MAJOR)));
  for (const char* argument : {"tenon.ref", "--help"}) {
    const Done done = run_program({command, "verify", argument});
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(done.out, "");
    EXPECT_EQ(done.err, "tenon: the conformance kit is not there: " + command +
                            "-verify is missing; `./dev build` builds it and installs it beside "
                            "this program\n");
  }
  const Done help = run_program({command, "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, HasSubstr("Judge plugins: values, layouts"));
}

TEST(VerifyHostile, ACrashIsAFailureOfItsCase) {
  const json plugin = verify_hostile("crashes_launch");
  const json failure = first_failure(plugin, "crash");
  EXPECT_EQ(failure.at("op"), "hostile.crashes_launch");
  EXPECT_THAT(failure.at("words"), HasSubstr("SIGSEGV"));
  EXPECT_EQ(failure.at("backend"), "cpu");
  EXPECT_FALSE(failure.at("case").get<std::string>().empty());
  EXPECT_EQ(plugin.at("skipped"), 1) << "the group is cut short after its third process";
}

TEST(VerifyHostile, TheCommandOfAFailureRepeatsItsCaseAlone) {
  const json failure = first_failure(verify_hostile("crashes_launch"), "crash");
  const std::string repro = failure.at("repro");
  const Done again = in_shell(repro + " --json -");
  EXPECT_EQ(again.status, 1) << repro << again.err;
  const json plugin = again.json().at("plugins").at(0);
  EXPECT_EQ(plugin.at("cases"), 1) << plugin.dump(2);
  EXPECT_EQ(first_failure(plugin, "crash").at("case"), failure.at("case"));
}

TEST(VerifyHostile, AHang) {
  const json plugin = verify_hostile("hangs_launch", {"--timeout", "1"});
  EXPECT_EQ(first_failure(plugin, "hang").at("words"), "no progress for 1 s; killed");
}

TEST(VerifyHostile, AnExitWhenItIsOpened) {
  const json failure = first_failure(verify_hostile("exits_init"), "exit");
  EXPECT_THAT(failure.at("words"),
              AllOf(HasSubstr("exit status"), HasSubstr("opening the plugin")));
}

TEST(VerifyHostile, Printing) {
  const json failure = first_failure(verify_hostile("prints_launch"), "output");
  EXPECT_THAT(failure.at("words"), HasSubstr("printed to standard"));
}

TEST(VerifyHostile, PrintingWhileItIsLoaded) {
  const json failure = first_failure(verify_hostile("prints_load"), "output");
  EXPECT_THAT(failure.at("words"), HasSubstr("hello from a constructor"));
}

TEST(VerifyHostile, ALeak) {
  if (sanitizer() != TENON_SANITIZER_NONE) {
    GTEST_SKIP() << "sanitizers bring an allocator that does not tell what is held";
  }
  const Done done = verify({"hostile.leaks_launch", "--level", "1", "--json", "-"}, kMisbehave);
  const json failure = first_failure(done.json().at("plugins").at(0), "leak");
  EXPECT_THAT(failure.at("words"), HasSubstr("more bytes of the heap"));
}

// Sanitizers bring an allocator of their own; the report then says so.
TEST(VerifyHostile, AnAllocationThatFails) {
  const Done done = verify({"hostile.trusts_memory", "--level", "3", "--json", "-"}, kMisbehave);
  const json plugin = done.json().at("plugins").at(0);
  for (const json& entry : plugin.at("uncovered")) {
    if (entry.at("what") == "failing host allocations") return;
  }
  EXPECT_EQ(first_failure(plugin, "crash").at("form"), "memory");
}

TEST(VerifyHostile, AnotherPluginDoesNotDisturb) {
  const Done done =
      verify({"tenon.ref", "--level", "0", "--ops", "tenon.add", "--json", "-"}, kMisbehave);
  EXPECT_EQ(done.status, 0) << done.out;
}

TEST(Verify, ReportsOneRowForAnOp) {
  const Done done = verify({"tenon.ref", "--level", "0", "--ops", "tenon.add"});
  EXPECT_EQ(done.status, 0) << done.out << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("tenon.ref: passed"), HasSubstr("tenon.add cpu"),
                              HasSubstr("fewest cases of an op"), HasSubstr(" 0 skipped")));
  EXPECT_EQ(done.err, "");
}

TEST(Verify, SchedulesDatasetsAndFormatsAreCases) {
  for (const std::string id :
       {"tenon.schedules", "tenon.data", "tenon.formats", "tenon.transforms", "tenon.tokenizers"}) {
    const Done done = verify({id, "--level", "0", "--json", "-"});
    EXPECT_EQ(done.status, 0) << done.out << done.err;
    const json plugin = done.json().at("plugins").at(0);
    EXPECT_GE(plugin.at("cases"), 3) << id;
    EXPECT_EQ(plugin.at("passed"), plugin.at("cases"));
  }
}

TEST(Verify, JsonGoesToAFile) {
  const TemporaryFolder folder;
  const std::string file = folder.path("report.json");
  const Done done = verify({"tenon.ref", "--level", "0", "--ops", "tenon.add", "--json", file});
  EXPECT_THAT(done.out, HasSubstr("tenon.ref: passed"));
  const json report = read_json(file);
  EXPECT_EQ(report.at("failed"), 0);
  EXPECT_EQ(report.at("skipped"), 0);
  EXPECT_EQ(report.at("passed"), report.at("cases"));
  EXPECT_EQ(report.at("minimum").at("op"), "tenon.add");
  const json& plugin = report.at("plugins").at(0);
  EXPECT_EQ(plugin.at("id"), "tenon.ref");
  EXPECT_EQ(plugin.at("matrix").at(0).at("op"), "tenon.add");
  EXPECT_TRUE(plugin.at("matrix").at(0).contains("impossible"));
}

TEST(Verify, TakesAFolderAndALibrary) {
  const std::string folder = std::string(plugin_dir()) + "/tenon.ref";
  for (const std::string& argument : {folder, folder + "/tenon.ref.so"}) {
    const Done done = verify({argument, "--level", "0", "--ops", "tenon.add", "--json", "-"});
    EXPECT_EQ(done.status, 0) << argument << done.out << done.err;
    EXPECT_EQ(done.json().at("plugins").at(0).at("id"), "tenon.ref");
  }
}

TEST(Verify, AHashThatDisagreesIsAFailure) {
  const TemporaryFolder folder;
  const std::string copy = copy_plugin("tenon.ref", folder.path("plugins"));
  json manifest = read_json(copy + "/plugin.json");
  if (!manifest.contains("sha256")) GTEST_SKIP() << "libcrypto was not there for plugin.json";
  manifest["sha256"] = std::string(64, '0');
  folder.write("plugins/tenon.ref/plugin.json", manifest.dump());
  const Done done = verify({copy, "--level", "0", "--json", "-"});
  EXPECT_EQ(done.status, 1);
  const json failure = first_failure(done.json().at("plugins").at(0), "unusable");
  EXPECT_THAT(failure.at("words"), HasSubstr("plugin.json states sha256 0000"));
}

// ---- wrong command lines ------------------------------------------------------------------------

void expect_usage(const std::vector<std::string>& arguments, const std::string& words) {
  const Done done = verify(arguments);
  EXPECT_EQ(done.status, 2) << done.out;
  EXPECT_THAT(done.err, HasSubstr(words));
  EXPECT_EQ(done.out, "");
}

TEST(VerifyUsage, SaysWhatIsWrong) {
  expect_usage({"acme.none"}, "no plugin acme.none was found");
  expect_usage({"/nowhere/acme.none"}, "/nowhere/acme.none: there is no such file or folder");
  expect_usage({"tenon.ref", "--case", "tenon.add:99:::returned:cpu"}, "no such case is run");
  expect_usage({"tenon.ref", "--ops", "acme.*"}, "no op of these plugins has a name");
  expect_usage({"tenon.ref", "--json", "/nowhere/f.json"}, "/nowhere/f.json cannot be written");
  expect_usage({"tenon.ref", "--goldens", "/nowhere"}, "the folder /nowhere cannot be read");
  expect_usage({"tenon.ref", "--level", "4"}, "--level");
}

TEST(VerifyUsage, SaysWhatIsWrongWithACase) {
  const auto refused = [](const std::string& text, const std::string& expected) {
    expect_usage({"tenon.ref", "--level", "0", "--case", text},
                 "--case: case '" + text + "': expected " + expected +
                     "; cases read op:sample:from>to:layout,layout,...:form:backend");
  };
  const std::string parts = "6 or 7 parts with ':' between them";
  refused("what", parts);
  refused("tenon.add:0:::returned", parts);
  refused("tenon.add:0:::returned:cpu:detail:more", parts);
  const std::string number = "the number of a sample second";
  refused("tenon.add::::returned:cpu", number);
  refused("tenon.add:first:::returned:cpu", number);
  refused("tenon.add:1st:::returned:cpu", number);
  refused("tenon.add:-1:::returned:cpu", number);
  refused("tenon.add:4294967296:::returned:cpu", number);
  const std::string dtypes = "two dtypes with '>' between them third, or nothing";
  refused("tenon.add:0:f32::returned:cpu", dtypes);
  refused("tenon.add:0:f32>f16>f64::returned:cpu", dtypes);
  refused("tenon.add:0::wavy:returned:cpu", "a layout, found 'wavy'");
  refused("tenon.add:0::contiguous,:returned:cpu", "a layout, found ''");
  refused("tenon.add:0:::sideways:cpu", "a form fifth, found 'sideways'");
  refused("tenon.add:0::::cpu", "a form fifth, found ''");
}

TEST(VerifyUsage, AFolderWithoutAManifest) {
  const TemporaryFolder folder;
  folder.write("acme.raw/acme.raw.so", "");
  expect_usage({folder.path("acme.raw")}, "`tenon manifest LIBRARY` writes it");
}

// ---- golden files that are not as they should be ------------------------------------------------

// A folder of golden files whose only one is an edited copy of the installed `name`.json.
class WithGolden {
 public:
  WithGolden(std::string plugin, std::string name)
      : plugin_(std::move(plugin)), name_(std::move(name)) {
    const std::filesystem::path program = command_path();
    const auto share = program.parent_path().parent_path() / "share" / "tenon";
    golden = read_json(share / "goldens" / (name_ + ".json"));
  }

  Done judged_with(const std::string& text) const {
    folder_.write(name_ + ".json", text);
    const std::string what = std::filesystem::path(name_).filename();
    return verify(
        {plugin_, "--ops", what, "--level", "0", "--json", "-", "--goldens", folder_.path("")});
  }
  // With the file as `edit` leaves it; `edit` gets a copy.
  template <class Edit>
  void expect_refused(const Edit& edit, const std::string& words) const {
    json copy = golden;
    edit(copy);
    expect_words(copy.dump(), "golden file " + name_ + ".json" + words);
  }
  void expect_words(const std::string& text, const std::string& words) const {
    const Done done = judged_with(text);
    EXPECT_EQ(done.status, 1) << done.out << done.err;
    const json failure = first_failure(done.json().at("plugins").at(0), "unusable");
    EXPECT_THAT(failure.value("words", ""), HasSubstr(words));
  }
  std::string path() const { return folder_.path(name_ + ".json"); }

  json golden;

 private:
  TemporaryFolder folder_;
  std::string plugin_, name_;
};

constexpr const char* kNotAsDocumented = " is not as docs/goldens.md says: ";

TEST(VerifyGoldens, ACopyIsTaken) {
  for (const auto& [plugin, name] :
       {std::pair{"tenon.ref", "tenon.relu"}, std::pair{"tenon.optim", "optimizers/tenon.sgd"}}) {
    const WithGolden copy(plugin, name);
    const Done done = copy.judged_with(copy.golden.dump());
    EXPECT_EQ(done.status, 0) << done.out << done.err;
  }
}

TEST(VerifyGoldens, AFileThatIsNoJson) {
  const WithGolden op("tenon.ref", "tenon.relu");
  op.expect_words("{", "golden file " + op.path() + " cannot be read: ");
  const WithGolden optimizer("tenon.optim", "optimizers/tenon.sgd");
  optimizer.expect_words("", "golden file " + optimizer.path() + " cannot be read: ");
}

TEST(VerifyGoldens, AFileThatLacksMembers) {
  const WithGolden op("tenon.ref", "tenon.relu");
  op.expect_refused([](json& file) { file = json::array(); }, kNotAsDocumented);
  op.expect_refused([](json& file) { file.erase("cases"); }, kNotAsDocumented);
  op.expect_refused([](json& file) { file["cases"][0].erase("from"); }, kNotAsDocumented);
  op.expect_refused([](json& file) { file["cases"][0]["inputs"] = 7; }, kNotAsDocumented);
  const WithGolden optimizer("tenon.optim", "optimizers/tenon.sgd");
  optimizer.expect_refused([](json& file) { file["cases"] = {3}; }, kNotAsDocumented);
  optimizer.expect_refused([](json& file) { file.erase("tolerances"); }, kNotAsDocumented);
  optimizer.expect_refused([](json& file) { file["cases"][0]["trace"][0].erase("states"); },
                           kNotAsDocumented);
}

// A golden file of relu whose first result, of f64[2,3], is changed.
struct WithResult : WithGolden {
  WithResult() : WithGolden("tenon.ref", "tenon.relu"), first(golden.at("cases").at(0)) {
    EXPECT_EQ(first.at("results").at(0).at("dtype"), "f64");
    EXPECT_EQ(first.at("results").at(0).at("shape"), json({2, 3}));
  }
  void refused(const char* member, const json& value, const std::string& words) const {
    expect_refused([&](json& file) { file["cases"][0]["results"][0][member] = value; },
                   ", sample \"" + first.at("sample").get<std::string>() + "\" >: states " + words);
  }
  json first;
};

TEST(VerifyGoldens, ResultsOfShapesThatCannotBe) {
  const WithResult op;
  op.refused("dtype", "f7", "the dtype \"f7\", which is none");
  op.refused("values", {1, 2, 3, 4, 5}, "5 values for a result of shape [2,3]");
  op.refused("shape", {-2, -3}, "6 values for a result of shape [-2,-3]");
  op.refused("shape", {0, 3}, "6 values for a result of shape [0,3]");
  op.refused("shape", {int64_t{1} << 33, int64_t{1} << 32}, "6 values for a result of shape [8589");
}

TEST(VerifyGoldens, ResultsOfValuesThatCannotBe) {
  const WithResult op;
  const std::string expected = " as an element of f64; expected a number, \"nan\", \"inf\" or";
  op.refused("values", {0, 0, 0, 0, 0, "none"}, "\"none\"" + expected);
  op.refused("values", {0, 0, 0, 0, 0, nullptr}, "null" + expected);
  op.refused("values", {0, 0, 0, 0, 0, true}, "true" + expected);
  op.refused("dtype", "i32",
             op.first.at("results")[0].at("values")[0].dump() +
                 " as an element of i32; expected an integer");
  op.refused("dtype", "bool",
             op.first.at("results")[0].at("values")[0].dump() +
                 " as an element of bool; expected true or false");
}

TEST(VerifyGoldens, ResultsForOtherOperands) {
  const WithGolden op("tenon.ref", "tenon.relu");
  const std::string drawn = op.golden["cases"][0]["inputs"];
  op.expect_refused(
      [](json& file) { file["cases"][0]["inputs"] = "0123456789abcdef"; },
      ", sample \"" + op.golden["cases"][0]["sample"].get<std::string>() +
          "\" >: was made for other operands: checksum 0123456789abcdef, those drawn here have " +
          drawn);
}

TEST(VerifyGoldens, ATraceThatCannotBe) {
  const WithGolden optimizer("tenon.optim", "optimizers/tenon.sgd");
  const std::string sample =
      ", sample \"" + optimizer.golden["cases"][0]["sample"].get<std::string>() + "\": states ";
  const size_t steps = optimizer.golden["cases"][0]["trace"].size();
  optimizer.expect_refused(
      [](json& file) { file["cases"][0]["trace"].erase(0); },
      sample + std::to_string(steps - 1) + " steps; the sample has " + std::to_string(steps));
  optimizer.expect_refused(
      [](json& file) { file["cases"][0]["trace"][1]["params"][0]["dtype"] = "f7"; },
      sample + "the dtype \"f7\", which is none");
  optimizer.expect_refused(
      [](json& file) { file["cases"][0]["trace"][1]["params"][0]["values"] = json::array(); },
      sample + "0 values for a result of shape ");
}

// ---- documentation ------------------------------------------------------------------------------

// The table of causes in docs/conformance.md is the closed list, in its order.
TEST(VerifyDocs, ListEveryCause) {
  const Done done = verify({"--list-causes"});
  EXPECT_EQ(done.status, 0);
  std::vector<std::string> causes;
  std::istringstream lines(done.out);
  for (std::string line; std::getline(lines, line);) {
    causes.push_back(line.substr(0, line.find(' ')));
  }
  std::vector<std::string> documented;
  std::ifstream page(std::string(source_dir()) + "/docs/conformance.md");
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("## ", 0) == 0) inside = line == "## Causes";
    if (!inside || line.rfind("| `", 0) != 0) continue;
    documented.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  EXPECT_GT(causes.size(), 50u);
  EXPECT_EQ(documented, causes);
}

}  // namespace
}  // namespace tenon::tests
