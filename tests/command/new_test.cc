// SPDX-License-Identifier: Apache-2.0
// tests/command/new_test.cc: `tenon new`: what it refuses, what it says, what it leaves behind.
// That its projects build and pass is proven in tests/templates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tenon/kinds.h>
#include <tenon/tenon.h>

#include <fstream>
#include <sstream>

#include "tests/command/command_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> entries_of(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  return names;
}

// Refused as a wrong command line, and nothing was written.
void expect_wrong(const std::vector<std::string>& arguments, const std::string& words) {
  const TemporaryFolder folder;
  std::vector<std::string> line = {"new"};
  line.insert(line.end(), arguments.begin(), arguments.end());
  line.insert(line.end(), {"--into", folder.path(".")});
  const Done done = run_command(line);
  EXPECT_EQ(done.status, 2) << done.out << done.err;
  EXPECT_THAT(done.err, HasSubstr(words));
  EXPECT_THAT(entries_of(folder.path(".")), IsEmpty());
}

TEST(CommandNew, RefusesUnknownKindsAndLanguages) {
  expect_wrong({"schedules", "acme.thing"},
               "unknown kind \"schedules\": expected one of backend, collective, dataset, format");
  expect_wrong({"any", "acme.thing"}, "unknown kind \"any\"");
  expect_wrong({"../op", "acme.thing"}, "unknown kind \"../op\"");
  expect_wrong({"op", "acme.thing", "--lang", "ada"},
               "unknown language \"ada\": expected one of c, cpp, rust");
  expect_wrong({"op", "acme.thing", "--lang", "any"}, "unknown language \"any\"");
  expect_wrong({"op", "acme.thing", "--lang", ""}, "unknown language \"\"");
  expect_wrong({"op", "acme.thing", "--with", "caffe"},
               "unknown thing to write op with \"caffe\": expected one of torch");
  expect_wrong({"op", "acme.thing", "--with", ""}, "unknown thing to write op with \"\"");
  expect_wrong({"layer", "acme.thing", "--with", "torch"},
               "unknown thing to write layer with \"torch\": there is none");
}

// What it adds is put after what there is, in every language.
TEST(CommandNew, WritesATestInPyTorch) {
  for (const char* language : {"c", "cpp", "rust"}) {
    const TemporaryFolder folder;
    const Done done = run_command({"new", "op", "acme.thing", "--lang", language, "--with", "torch",
                                   "--with", "torch", "--into", folder.path(".")});
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("  test/torch_test.py"));
    const auto text = [&](const char* file) {
      std::ostringstream bytes;
      bytes << std::ifstream(folder.path(std::string("acme.thing/") + file)).rdbuf();
      return bytes.str();
    };
    EXPECT_THAT(text("test/torch_test.py"), HasSubstr("load(sys.argv[1]).thing\n"));
    EXPECT_THAT(text("test/CMakeLists.txt"), HasSubstr("torch.cmake"));
    EXPECT_THAT(text("test/torch.cmake"), HasSubstr("NAME acme.thing.torch"));
    EXPECT_THAT(text("README.md"), HasSubstr("## In PyTorch"));
  }
}

TEST(CommandNew, RefusesNamesThatAreNone) {
  for (const char* name : {"thing", "acme.", ".thing", "acme.Thing", "acme.my-thing", "acme.1st",
                           "acme.a.b", "acme.thing ", "acme/thing", "../acme.thing", "acme..x"}) {
    expect_wrong({"op", name}, "is not a name for a plugin: expected vendor.name");
  }
  expect_wrong({"op", ""}, "is not a name for a plugin");
  expect_wrong({"op", "tenon.thing"}, "are Tenon's own");
}

TEST(CommandNew, NeedsKindAndName) {
  EXPECT_EQ(run_command({"new"}).status, 2);
  EXPECT_EQ(run_command({"new", "op"}).status, 2);
}

TEST(CommandNew, RefusesWhatExistsAndLeavesItAlone) {
  const TemporaryFolder folder;
  const std::string file = folder.write("acme.thing/mine.txt", "mine");
  const Done done = run_command({"new", "op", "acme.thing", "--into", folder.path(".")});
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(done.err, HasSubstr("acme.thing exists already"));
  EXPECT_THAT(entries_of(folder.path("acme.thing")), testing::ElementsAre("mine.txt"));
  // A link to nowhere is something, too.
  fs::create_symlink("/nonexistent", folder.path("acme.link"));
  EXPECT_EQ(run_command({"new", "op", "acme.link", "--into", folder.path(".")}).status, 1);
  EXPECT_THAT(entries_of(folder.path(".")),
              testing::UnorderedElementsAre("acme.thing", "acme.link"));
}

TEST(CommandNew, RefusesAFolderThatIsNone) {
  const Done done = run_command({"new", "op", "acme.thing", "--into", "/nonexistent/folder"});
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(done.err, HasSubstr("/nonexistent/folder is not a folder"));
}

// What is registered by name can be begun in each language: a kind has a template.
TEST(CommandNew, KnowsEveryKindInEveryLanguage) {
#define KIND_NAME(noun, plural) #noun,
  for (const char* kind : {"op", "backend", TENON_KINDS(KIND_NAME)}) {
#undef KIND_NAME
    for (const char* language : {"c", "cpp", "rust"}) {
      const TemporaryFolder folder;
      const Done done =
          run_command({"new", kind, "acme.thing", "--lang", language, "--into", folder.path(".")});
      EXPECT_EQ(done.status, 0) << kind << " in " << language << ": " << done.err;
      EXPECT_TRUE(fs::exists(folder.path("acme.thing/test/test.c"))) << kind;
      EXPECT_TRUE(fs::exists(folder.path("acme.thing/README.md"))) << kind;
    }
  }
}

TEST(CommandNew, WritesAProjectAndSaysWhatIsNext) {
  const TemporaryFolder folder;
  const Done done = run_command({"new", "op", "acme.thing", "--into", folder.path(".")});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("cmake -S "));
  EXPECT_THAT(done.out, HasSubstr("cmake --build "));
  EXPECT_THAT(done.out, HasSubstr("ctest --test-dir "));
  for (const char* file : {"CMakeLists.txt", "README.md", "src/thing.cc", "test/test.c"}) {
    std::ostringstream text;
    text << std::ifstream(folder.path("acme.thing/" + std::string(file))).rdbuf();
    EXPECT_THAT(done.out, HasSubstr(std::string("  ") + file));
    EXPECT_THAT(text.str(), HasSubstr("acme.thing")) << file;
    EXPECT_THAT(text.str(), Not(HasSubstr("@"))) << file;
  }
  // The templates of this build, not those of the folder it was started in.
  EXPECT_EQ(entries_of(folder.path(".")), std::vector<std::string>{"acme.thing"});
}

TEST(CommandNew, SaysWhereTheTemplatesShouldBe) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path("tree/bin"));
  fs::create_directories(folder.path("tree/lib"));
  fs::copy(command_path(), folder.path("tree/bin/tenon"));
  const fs::path library = fs::canonical(library_path());
  fs::copy(library, folder.path("tree/lib/libtenon.so." + std::to_string(TENON_VERSION_MAJOR)));
  const Done done = run_program(
      {folder.path("tree/bin/tenon"), "new", "op", "acme.thing", "--into", folder.path(".")});
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(done.err, HasSubstr("the templates are missing: expected them in " +
                                  folder.path("tree/share/tenon/templates")));
}

}  // namespace
}  // namespace tenon::tests
