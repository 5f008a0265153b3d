// SPDX-License-Identifier: Apache-2.0
// tests/plugin_host/policy_test.cc: whose files may be opened, and on which machines.
#include "core/plugin/policy.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <tenon/tenon.h>
#include <unistd.h>

#include "tests/plugin_host/plugin_host_support.h"

namespace tenon::tests {
namespace {

using plugin::check_cpu_features;
using plugin::check_owned;
using plugin::State;
using testing::AllOf;
using testing::HasSubstr;

void set_mode(const std::string& path, mode_t mode) { ASSERT_EQ(chmod(path.c_str(), mode), 0); }

TEST(Policy, AcceptsWhatOnlyWeCanChange) {
  const Folder folder;
  folder.make("a/b");
  folder.write("a/b/file", "x");
  EXPECT_NO_THROW(check_owned(folder.path("a/b/file")));
  EXPECT_NO_THROW(check_owned("/"));
}

TEST(Policy, RefusesAWritableFileAndSaysHowToMendIt) {
  const Folder folder;
  folder.write("file", "x");
  set_mode(folder.path("file"), 0666);
  const Error error = error_of([&] { check_owned(folder.path("file")); });
  EXPECT_EQ(error.status, TENON_E_PLUGIN);
  EXPECT_THAT(error.message, AllOf(HasSubstr(folder.path("file") + " can be written by every user"),
                                   HasSubstr("owner "), HasSubstr("mode 0666"),
                                   HasSubstr("chmod o-w " + folder.path("file"))));
}

TEST(Policy, RefusesAWritableFolderAbove) {
  const Folder folder;
  folder.make("a/b");
  folder.write("a/b/file", "x");
  set_mode(folder.path("a"), 0777);
  const Error error = error_of([&] { check_owned(folder.path("a/b/file")); });
  EXPECT_THAT(error.message, AllOf(HasSubstr(folder.path("a") + " can be written by every user"),
                                   HasSubstr("mode 0777")));
  set_mode(folder.path("a"), 01777);
  EXPECT_NO_THROW(check_owned(folder.path("a/b/file")));
}

TEST(Policy, LooksBehindLinks) {
  const Folder folder;
  folder.make("loose");
  folder.write("loose/file", "x");
  set_mode(folder.path("loose"), 0777);
  ASSERT_EQ(symlink("loose/file", folder.path("link").c_str()), 0);
  EXPECT_THAT(error_of([&] { check_owned(folder.path("link")); }).message,
              HasSubstr(folder.path("loose") + " can be written by every user"));
}

TEST(Policy, RefusesAnotherOwner) {
  const Folder folder;
  folder.write("file", "x");
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(chown(folder.path("file").c_str(), 54321, 54321), 0);
  EXPECT_THAT(error_of([&] { check_owned(folder.path("file")); }).message,
              AllOf(HasSubstr("belongs neither to root nor to"), HasSubstr("owner 54321")));
}

TEST(Policy, RefusesWhatIsNotThere) {
  EXPECT_THAT(error_of([] { check_owned("/no/such/file"); }).message, HasSubstr("cannot be found"));
}

TEST(Policy, AnUnsafePluginIsRefusedByTheScanUnlessAnyIsAllowed) {
  const Folder folder;
  folder.add_plugin("good", good_manifest(), "good");
  set_mode(folder.path("good/good.so"), 0666);
  World strict(folder);
  const plugin::Plugin& refused = *strict.plugins->find("acme.good");
  EXPECT_EQ(refused.state, State::Refused);
  EXPECT_THAT(refused.reason, HasSubstr("can be written by every user"));
  EXPECT_EQ(strict.plugins->libraries_opened(), 0);
  World lenient(folder, TENON_POLICY_ANY);
  EXPECT_EQ(lenient.open("acme.good").state, State::Open) << lenient.open("acme.good").reason;
}

TEST(Policy, RightsThatChangeAfterTheScanAreSeen) {
  const Folder folder;
  folder.add_plugin("good", good_manifest(), "good");
  World world(folder);
  EXPECT_EQ(world.plugins->find("acme.good")->state, State::Found);
  set_mode(folder.path("good"), 0777);
  EXPECT_EQ(world.open("acme.good").state, State::Refused);
  EXPECT_THAT(world.open("acme.good").reason, HasSubstr("can be written by every user"));
}

TEST(Policy, NamesCpuFeatures) {
  EXPECT_NO_THROW(check_cpu_features({}));
  EXPECT_THAT(error_of([] { check_cpu_features({"quantum"}); }).message,
              HasSubstr("unknown CPU feature 'quantum'"));
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    EXPECT_NO_THROW(check_cpu_features({"avx2"}));
  } else {
    EXPECT_THAT(error_of([] { check_cpu_features({"avx2"}); }).message, HasSubstr("'avx2'"));
  }
  EXPECT_NO_THROW(check_cpu_features({"sse3"}));
#endif
}

}  // namespace
}  // namespace tenon::tests
