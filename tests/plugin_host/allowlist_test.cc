// SPDX-License-Identifier: Apache-2.0
// tests/plugin_host/allowlist_test.cc: the allow-list policy: what runs is what was hashed.
#include "core/plugin/allowlist.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <tenon/tenon.h>
#include <unistd.h>

#include "core/plugin/sha256.h"
#include "tests/plugin_host/plugin_host_support.h"

namespace tenon::tests {
namespace {

using nlohmann::json;
using plugin::Allowlist;
using plugin::sha256_of;
using plugin::sha256_of_file;
using plugin::Stage;
using plugin::State;
using testing::HasSubstr;

json entry(const std::string& id, const std::string& hash) {
  return {{"id", id}, {"sha256", hash}};
}

// A folder of its own for the plugins, and the lock file beside it.
struct Locked {
  Folder folder;
  Locked() {
    folder.make("plugins");
    folder.add_plugin("plugins/good", good_manifest(), "good");
  }
  std::string library() const { return folder.path("plugins/good/good.so"); }
  void lock(const json& entries) const {
    folder.write("lock.json", json{{"lock", 1}, {"plugins", entries}}.dump());
  }
  void lock_good() const { lock(json::array({entry("acme.good", sha256_of_file(library()))})); }
  plugin::HostOptions options() const {
    plugin::HostOptions options = only(folder.path("plugins"));
    options.policy = TENON_POLICY_ALLOWLIST;
    options.allowlist = folder.path("lock.json");
    return options;
  }
};

TEST(Sha256, IsThatOfTheStandard) {
  // FIPS 180-4's example, and the empty text.
  EXPECT_EQ(sha256_of("abc", 3),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of("", 0), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Allowlist, OpensWhatItListsFromASealedCopy) {
  const Locked files;
  const std::string hash = sha256_of_file(files.library());
  files.lock_good();
  World world(files.options());
  EXPECT_EQ(world.plugins->libraries_opened(), 0);
  EXPECT_EQ(world.open("acme.good").state, State::Open);
  // What is on disk no longer matters to this process.
  files.folder.write("plugins/good/good.so", "changed");
  World again(files.options());
  const plugin::Plugin& changed = again.open("acme.good");
  EXPECT_EQ(changed.state, State::Refused);
  EXPECT_EQ(changed.stage, Stage::Policy);
  EXPECT_EQ(changed.reason,
            "library " + files.library() +
                " is not the one the allow-list permits: its sha256 is " + sha256_of("changed", 7) +
                ", the allow-list says " + hash +
                "; if the change was meant, write the list again with `tenon plugin lock`");
}

TEST(Allowlist, EqualBytesAreOpenedOnce) {
  const Locked files;
  files.lock_good();
  World one(files.options());
  World two(files.options());
  EXPECT_EQ(one.open("acme.good").interface.init, two.open("acme.good").interface.init);
}

TEST(Allowlist, RefusesWhatItDoesNotListWithoutOpeningIt) {
  const Locked files;
  files.lock(json::array());
  const World world(files.options());
  const plugin::Plugin& plugin = *world.plugins->find("acme.good");
  EXPECT_EQ(plugin.state, State::Refused);
  EXPECT_EQ(plugin.stage, Stage::Policy);
  EXPECT_EQ(plugin.reason, "the allow-list " + files.folder.path("lock.json") +
                               " does not list it; if it should be permitted, write the list again "
                               "with `tenon plugin lock`");
}

TEST(Allowlist, ASwappedLinkIsCaught) {
  const Locked files;
  files.lock_good();
  World world(files.options());
  // Between scan and opening the library becomes a link to another.
  ASSERT_EQ(unlink(files.library().c_str()), 0);
  files.folder.write("other.so", "not what was hashed");
  ASSERT_EQ(symlink(files.folder.path("other.so").c_str(), files.library().c_str()), 0);
  const plugin::Plugin& plugin = world.open("acme.good");
  EXPECT_EQ(plugin.state, State::Refused);
  EXPECT_THAT(plugin.reason, HasSubstr("is not the one the allow-list permits: its sha256 is " +
                                       sha256_of("not what was hashed", 19)));
}

TEST(Allowlist, NeedsNoOwnershipOfTheLibrary) {
  const Locked files;
  files.lock_good();
  ASSERT_EQ(chmod(files.library().c_str(), 0666), 0);
  World world(files.options());
  EXPECT_EQ(world.open("acme.good").state, State::Open);
}

TEST(Allowlist, ABrokenLockFileIsRefusedAsAWhole) {
  const Folder folder;
  const std::string path = folder.path("lock.json");
  const auto message = [&](const std::string& text) {
    folder.write("lock.json", text);
    const Error error = error_of([&] { Allowlist::load(path); });
    EXPECT_EQ(error.hint, "write it with `tenon plugin lock -o " + path + "`");
    return error.message;
  };
  const std::string hash(64, 'a');
  EXPECT_EQ(message("no JSON"), "allow-list " + path + " is not a JSON object");
  EXPECT_EQ(message("[]"), "allow-list " + path + " is not a JSON object");
  EXPECT_EQ(message(R"({"lock": 2, "plugins": []})"),
            "allow-list " + path + " has no \"lock\": 1; this Tenon reads format 1");
  EXPECT_EQ(message(R"({"lock": 1})"), "allow-list " + path + " has no list \"plugins\"");
  EXPECT_EQ(message(R"({"lock": 1, "plugins": [7]})"),
            "allow-list " + path + " plugins[0] is not an object");
  EXPECT_EQ(message(R"({"lock": 1, "plugins": [{}]})"),
            "allow-list " + path + " plugins[0] has no \"id\"");
  EXPECT_EQ(message(R"({"lock": 1, "plugins": [{"id": "a.b", "sha256": "AB"}]})"),
            "allow-list " + path +
                " plugins[0] (a.b): \"sha256\" must be 64 hexadecimal digits in small letters");
  EXPECT_EQ(
      message(json{{"lock", 1}, {"plugins", {entry("a.b", hash), entry("a.b", hash)}}}.dump()),
      "allow-list " + path + " plugins[1] (a.b) is listed twice");
  EXPECT_EQ(error_of([&] { Allowlist::load(folder.path("none")); }).message,
            "allow-list " + folder.path("none") + " cannot be read: No such file or directory");
}

TEST(Allowlist, ALockFileThatAnybodyCanChangeIsRefused) {
  const Locked files;
  files.lock(json::array());
  ASSERT_EQ(chmod(files.folder.path("lock.json").c_str(), 0666), 0);
  EXPECT_THAT(error_of([&] { World world(files.options()); }).message,
              HasSubstr(files.folder.path("lock.json") + " can be written by every user"));
}

}  // namespace
}  // namespace tenon::tests
