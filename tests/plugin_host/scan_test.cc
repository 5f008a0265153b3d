// SPDX-License-Identifier: Apache-2.0
// tests/plugin_host/scan_test.cc: which folders are searched, in which order, and what is said
// about each.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/plugin_host/plugin_host_support.h"

namespace tenon::tests {
namespace {

using nlohmann::json;
using plugin::HostOptions;
using plugin::Plugin;
using plugin::SearchPath;
using plugin::State;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Sets a variable for one test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = getenv(name)) old_ = std::make_unique<std::string>(old);
    setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (old_) {
      setenv(name_, old_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::unique_ptr<std::string> old_;
};

json manifest_of(const std::string& id) {
  json manifest = good_manifest();
  manifest["id"] = id;
  return manifest;
}

const SearchPath* path_of(const World& world, const std::string& folder) {
  for (const SearchPath& path : world.plugins->paths()) {
    if (path.folder == folder) return &path;
  }
  return nullptr;
}

TEST(Scan, FindsPluginsAndOpensNone) {
  const Folder folder;
  folder.add_plugin("b", manifest_of("acme.b"));
  folder.add_plugin("a", manifest_of("acme.a"));
  folder.make("no_plugin");
  folder.write("a_file", "x");
  const World world(folder);
  ASSERT_EQ(world.plugins->plugins().size(), 2u);
  EXPECT_EQ(world.plugins->plugins()[0]->id, "acme.a");
  EXPECT_EQ(world.plugins->plugins()[1]->id, "acme.b");
  EXPECT_EQ(world.plugins->plugins()[1]->order, 1u);
  EXPECT_EQ(world.plugins->plugins()[0]->state, State::Found);
  EXPECT_EQ(world.plugins->plugins()[0]->folder, folder.path("a"));
  EXPECT_EQ(world.plugins->plugins()[0]->library, folder.path("a/good.so"));
  EXPECT_EQ(world.plugins->libraries_opened(), 0);
  EXPECT_EQ(world.plugins->searched(), "looked in " + folder.path() + " (2 plugins)");
}

TEST(Scan, AcceptsAPluginFolderAsAPath) {
  const Folder folder;
  folder.add_plugin("a", manifest_of("acme.a"));
  const World world(only(folder.path("a/")));
  ASSERT_EQ(world.plugins->plugins().size(), 1u);
  EXPECT_EQ(world.plugins->plugins()[0]->id, "acme.a");
}

TEST(Scan, TheFirstPluginWithAnIdWins) {
  const Folder folder;
  folder.add_plugin("one/x", manifest_of("acme.a"));
  folder.add_plugin("two/y", manifest_of("acme.a"));
  HostOptions options = only(folder.path("two"));
  options.paths.push_back(folder.path("one"));
  const World world(options);
  ASSERT_EQ(world.plugins->plugins().size(), 2u);
  EXPECT_EQ(world.plugins->find("acme.a")->folder, folder.path("two/y"));
  const Plugin& second = *world.plugins->plugins()[1];
  EXPECT_EQ(second.state, State::Refused);
  EXPECT_EQ(second.reason,
            "another plugin with this id was found first in " + folder.path("two/y"));
}

TEST(Scan, SearchesInTheDocumentedOrder) {
  const Folder folder;
  const Variable variable("TENON_PLUGIN_PATH", folder.path("env1") + ":" + folder.path("env2"));
  const Variable data("XDG_DATA_HOME", folder.path("data"));
  HostOptions options;
  options.paths = {folder.path("option")};
  const World world(options);
  std::vector<std::string> origins;
  for (const SearchPath& path : world.plugins->paths()) origins.push_back(path.origin);
  EXPECT_THAT(origins, testing::ElementsAre("option", "TENON_PLUGIN_PATH", "TENON_PLUGIN_PATH",
                                            "user", "system", "system", "library", "library"));
  EXPECT_EQ(world.plugins->paths()[3].folder, folder.path("data/tenon/plugins"));
  EXPECT_EQ(world.plugins->paths()[4].folder, "/usr/local/lib/tenon/plugins");
  EXPECT_EQ(world.plugins->paths()[5].folder, "/usr/lib/tenon/plugins");
  EXPECT_EQ(world.plugins->paths()[0].problem, "does not exist");
}

TEST(Scan, UsesTheHomeFolderWithoutXdg) {
  const Folder folder;
  const Variable data("XDG_DATA_HOME", "");
  const Variable home("HOME", folder.path());
  HostOptions options;
  options.environment = false;
  const World world(options);
  EXPECT_EQ(world.plugins->paths()[0].folder, folder.path(".local/share/tenon/plugins"));
}

TEST(Scan, LeavesTheVariableAloneWhenTold) {
  const Folder folder;
  folder.add_plugin("a", manifest_of("acme.a"));
  const Variable variable("TENON_PLUGIN_PATH", folder.path());
  HostOptions options;
  options.default_paths = false;
  EXPECT_EQ(World(options).plugins->plugins().size(), 1u);
  options.environment = false;
  const World world(options);
  EXPECT_THAT(world.plugins->plugins(), IsEmpty());
  EXPECT_EQ(world.plugins->searched(), "no folder was searched");
}

TEST(Scan, SkipsRelativeAndEmptyEntries) {
  const Folder folder;
  folder.add_plugin("a", manifest_of("acme.a"));
  ASSERT_EQ(chdir(folder.path().c_str()), 0);
  const Variable variable("TENON_PLUGIN_PATH", ":.:a");
  HostOptions options;
  options.default_paths = false;
  options.paths = {"", "."};
  const World world(options);
  ASSERT_EQ(chdir("/"), 0);
  EXPECT_THAT(world.plugins->plugins(), IsEmpty());
  ASSERT_EQ(world.plugins->paths().size(), 5u);
  EXPECT_EQ(world.plugins->paths()[0].problem, "an empty entry, skipped");
  EXPECT_EQ(world.plugins->paths()[1].problem, "not an absolute path, skipped");
  EXPECT_EQ(world.plugins->paths()[2].problem, "an empty entry, skipped");
  EXPECT_EQ(world.plugins->paths()[4].problem, "not an absolute path, skipped");
}

TEST(Scan, SaysWhatIsWrongWithAPath) {
  const Folder folder;
  folder.write("file", "x");
  HostOptions options = only(folder.path("missing"));
  options.paths.push_back(folder.path("file"));
  options.paths.push_back(folder.path());
  options.paths.push_back(folder.path() + "/.");
  const World world(options);
  EXPECT_EQ(path_of(world, folder.path("missing"))->problem, "does not exist");
  EXPECT_EQ(path_of(world, folder.path("file"))->problem, "is not a folder");
  EXPECT_EQ(path_of(world, folder.path())->problem, "");
  EXPECT_EQ(path_of(world, folder.path() + "/.")->problem, "the same as " + folder.path());
}

TEST(Scan, ABrokenManifestIsRefusedAndHarmsNobody) {
  const Folder folder;
  folder.add_plugin("a", manifest_of("acme.a"));
  folder.make("broken");
  folder.write("broken/plugin.json", "{\"id\": ");
  const World world(folder);
  const Plugin* broken = world.plugins->find("broken");
  ASSERT_NE(broken, nullptr);
  EXPECT_EQ(broken->state, State::Refused);
  EXPECT_THAT(broken->reason, HasSubstr(folder.path("broken/plugin.json") + ": is not JSON"));
  EXPECT_EQ(world.plugins->find("acme.a")->state, State::Found);
  EXPECT_THAT(world.plugins->searched(), HasSubstr("(2 plugins, 1 refused)"));
  const Error error = error_of([&] { world.plugins->require_op("acme.nothing", 0); });
  EXPECT_THAT(error.message, HasSubstr("what " + folder.path("broken") + " offers is unknown"));
}

TEST(Scan, TellsOfLibrariesWithoutAManifest) {
  const Folder folder;
  folder.add_plugin("a", manifest_of("acme.a"));
  folder.make("bare");
  folder.write("bare/b.so", "x");
  folder.write("bare/a.so", "x");
  folder.write("bare/notes.so.txt", "x");
  folder.make("alone");
  folder.write("alone/c.so", "x");
  HostOptions options = only(folder.path());
  options.paths.push_back(folder.path("alone"));
  const World world(options);
  EXPECT_THAT(world.plugins->paths()[0].unlisted,
              testing::ElementsAre(folder.path("alone/c.so"), folder.path("bare/a.so")));
  EXPECT_THAT(world.plugins->paths()[1].unlisted, testing::ElementsAre(folder.path("alone/c.so")));
  const Error error = error_of([&] { world.plugins->require_op("acme.nothing", 0); });
  EXPECT_THAT(error.message,
              HasSubstr("(1 plugin; no plugin.json beside " + folder.path("alone/c.so") +
                        "; no plugin.json beside " + folder.path("bare/a.so") + ")"));
}

TEST(Scan, RefusesManifestsThatAreNoOrHugeFiles) {
  const Folder folder;
  folder.make("folder/plugin.json");
  folder.make("huge");
  folder.write("huge/plugin.json", std::string((1u << 20) + 1, ' '));
  folder.make("pipe");
  ASSERT_EQ(mkfifo(folder.path("pipe/plugin.json").c_str(), 0644), 0);
  const World world(folder);
  EXPECT_THAT(world.plugins->find("folder")->reason, HasSubstr("is not a regular file"));
  EXPECT_THAT(world.plugins->find("pipe")->reason, HasSubstr("is not a regular file"));
  EXPECT_THAT(world.plugins->find("huge")->reason, HasSubstr("larger than 1048576 bytes"));
}

TEST(Scan, RefusesByNameVersionAndFeature) {
  const Folder folder;
  folder.add_plugin("out", manifest_of("acme.out"));
  json manifest = manifest_of("acme.draft");
  manifest["abi"]["draft"] = 7;
  folder.add_plugin("draft", manifest);
  manifest = manifest_of("acme.minor");
  manifest["abi"]["minor"] = 99;
  manifest["abi"]["required_minor"] = 98;
  folder.add_plugin("minor", manifest);
  manifest = manifest_of("acme.feature");
  manifest["requires"]["cpu_features"] = {"quantum"};
  folder.add_plugin("feature", manifest);
  folder.add_plugin("gone", manifest_of("acme.gone"));
  std::filesystem::remove(folder.path("gone/good.so"));
  HostOptions options = only(folder.path());
  options.exclude = {"acme.out"};
  const World world(options);
  const auto reason = [&](const char* id) { return world.plugins->find(id)->reason; };
  EXPECT_EQ(reason("acme.out"), "excluded by name");
  EXPECT_EQ(reason("acme.draft"), "built for ABI draft 7; this Tenon loads draft " +
                                      std::to_string(TENON_ABI_DRAFT) + ": it needs a newer Tenon");
  EXPECT_THAT(reason("acme.minor"), HasSubstr("needs a newer Tenon: it requires ABI 0.98"));
  EXPECT_THAT(reason("acme.feature"), HasSubstr("unknown CPU feature 'quantum'"));
  EXPECT_THAT(reason("acme.gone"), HasSubstr(folder.path("gone/good.so") + " does not exist"));
  for (const auto& plugin : world.plugins->plugins()) {
    EXPECT_EQ(plugin->state, State::Refused) << plugin->id;
  }
}

TEST(Scan, WordsForNamesNobodyLists) {
  const Folder folder;
  folder.add_plugin("a", manifest_of("acme.a"));
  HostOptions options = only(folder.path());
  options.paths.push_back("/no/such/folder");
  const World world(options);
  const std::string searched =
      "looked in " + folder.path() + " (1 plugin), /no/such/folder (does not exist)";
  Error error = error_of([&] { world.plugins->require_op("acme.softmax", 0); });
  EXPECT_EQ(error.status, TENON_E_NOT_FOUND);
  EXPECT_EQ(error.message, "op \"acme.softmax\" is not available: no plugin lists it; " + searched);
  EXPECT_THAT(error.hint, AllOf(HasSubstr("TENON_PLUGIN_PATH"), HasSubstr("tenon doctor")));
  error = error_of([&] { world.plugins->require_backend("box"); });
  EXPECT_EQ(error.status, TENON_E_NOT_FOUND);
  EXPECT_THAT(error.message, HasSubstr("device \"box\" is not available: no plugin lists it"));
  error = error_of(
      [&] { world.plugins->require_entry(registry::kind_of<tenon_optimizer_desc>(), "acme.sgd"); });
  EXPECT_EQ(error.status, TENON_E_NOT_FOUND);
  EXPECT_THAT(error.message, HasSubstr("optimizer \"acme.sgd\" is not available"));
  error = error_of(
      [&] { world.plugins->require_entry(registry::kind_of<tenon_schedule_desc>(), "acme.slow"); });
  EXPECT_EQ(error.status, TENON_E_NOT_FOUND);
  EXPECT_THAT(error.message, HasSubstr("schedule \"acme.slow\" is not available"));
  error = error_of(
      [&] { world.plugins->require_entry(registry::kind_of<tenon_dataset_desc>(), "acme.idx"); });
  EXPECT_EQ(error.status, TENON_E_NOT_FOUND);
  EXPECT_THAT(error.message, HasSubstr("dataset \"acme.idx\" is not available"));
  error = error_of([&] { world.plugins->require_role(TENON_ROLE_SUM_TO); });
  EXPECT_EQ(error.status, TENON_E_NO_ROLE);
  EXPECT_THAT(error.message,
              AllOf(HasSubstr("role 'sum_to' is not available"), HasSubstr(searched)));
  EXPECT_EQ(world.plugins->libraries_opened(), 0);
}

// Of each kind of name: what is suggested for one that is nearly listed, and for one that is not.
TEST(Scan, SuggestsTheNearestName) {
  const Folder folder;
  json manifest = manifest_of("acme.a");
  for (uint32_t kind = 0; kind < registry::kKindEnd; ++kind) {
    manifest[std::string(registry::kind_at(kind).plural)] = {"acme.softmax", "acme.softplus"};
  }
  for (const char* name : {"acme.softmax", "acme.softplus", "acme.add"}) {
    manifest["ops"].push_back({{"name", name}, {"revision", 1}});
  }
  folder.add_plugin("a", manifest);
  const World world(folder);
  using Ask = std::function<void(plugin::PluginHost&, const char*)>;
  std::vector<Ask> asks = {[](auto& plugins, const char* name) { plugins.require_op(name, 0); }};
  for (uint32_t kind = 0; kind < registry::kKindEnd; ++kind) {
    asks.push_back([kind](auto& plugins, const char* name) { plugins.require_entry(kind, name); });
  }
  for (const Ask& ask : asks) {
    const auto hint = [&](const char* name) {
      return error_of([&] { ask(*world.plugins, name); }).hint;
    };
    for (const char* near : {"softmax", "acme.sofmax", "acme.Softmax", "acme.softmaks",
                             "acne.softmax", "other.softmax", "soft_max"}) {
      EXPECT_THAT(hint(near), StartsWith("did you mean \"acme.softmax\"? Else put the folder "))
          << near;
    }
    for (const std::string& far : {std::string("acme.conv2d"), std::string("acme.s"), std::string(),
                                   "acme." + std::string(5000, 's')}) {
      EXPECT_THAT(hint(far.c_str()), StartsWith("put the folder ")) << far;
    }
  }
  EXPECT_THAT(error_of([&] { world.plugins->require_op("acme.ad", 0); }).hint,
              StartsWith("did you mean \"acme.add\"?"));
  EXPECT_THAT(error_of([&] { world.plugins->require_backend("cuda"); }).hint,
              StartsWith("plugins list these: toy. Else "));
}

TEST(Scan, WordsForNamesOfRefusedPlugins) {
  const Folder folder;
  folder.add_plugin("a", manifest_of("acme.a"));
  HostOptions options = only(folder.path());
  options.exclude = {"acme.a"};
  const World world(options);
  Error error = error_of([&] { world.plugins->require_op("acme.twice", 0); });
  EXPECT_EQ(error.status, TENON_E_PLUGIN);
  EXPECT_EQ(error.plugin, "acme.a");
  EXPECT_EQ(error.message, "op \"acme.twice\" is listed by plugin acme.a in " + folder.path("a") +
                               ", which was refused: excluded by name");
  EXPECT_THAT(error.hint, HasSubstr("tenon doctor"));
  for (const char* kind : {"toy", ""}) {
    error = error_of([&] { world.plugins->require_backend(kind); });
    EXPECT_EQ(error.status, TENON_E_PLUGIN);
    EXPECT_THAT(error.message, HasSubstr("which was refused: excluded by name"));
  }
}

}  // namespace
}  // namespace tenon::tests
