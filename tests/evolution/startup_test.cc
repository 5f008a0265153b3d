// SPDX-License-Identifier: Apache-2.0
// tests/evolution/startup_test.cc: creating a runtime reads each manifest once and opens no
// library; looking at what was found opens none either.
#include <gmock/gmock.h>
#include <link.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <tenon/tenon.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "tests/evolution/evolution_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

namespace fs = std::filesystem;

// A copy of the tree's own plugins that no other test looks at, and a count of who opens its files.
class Watched {
 public:
  Watched() {
    std::string pattern = (fs::temp_directory_path() / "tenon-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    for (const auto& entry : fs::directory_iterator(plugin_dir())) {
      if (!fs::exists(entry.path() / "plugin.json")) continue;
      const fs::path folder = root_ / entry.path().filename();
      fs::copy(entry.path(), folder);
      ++plugins_;
    }
    queue_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    for (const auto& entry : fs::directory_iterator(root_)) {
      const std::string id = entry.path().filename();
      std::ifstream text(entry.path() / "plugin.json");
      const std::string library = nlohmann::json::parse(text).at("library");
      libraries_[watch(entry.path() / library)] = id;
      manifests_[watch(entry.path() / "plugin.json")] = id;
    }
  }
  ~Watched() {
    if (queue_ >= 0) close(queue_);
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  bool works() const { return queue_ >= 0 && !manifests_.contains(-1); }
  int plugins() const { return plugins_; }
  std::string root() const { return root_; }

  // How often each file was opened since the last question.
  struct Opened {
    std::map<std::string, int> manifests, libraries;
  };
  Opened opened() {
    Opened counts;
    alignas(inotify_event) char bytes[4096];
    ssize_t got = 0;
    while ((got = read(queue_, bytes, sizeof bytes)) > 0) {
      for (char* at = bytes; at < bytes + got;) {
        const auto* event = reinterpret_cast<const inotify_event*>(at);
        if (manifests_.contains(event->wd)) ++counts.manifests[manifests_[event->wd]];
        if (libraries_.contains(event->wd)) ++counts.libraries[libraries_[event->wd]];
        at += sizeof(inotify_event) + event->len;
      }
    }
    return counts;
  }

 private:
  int watch(const fs::path& file) { return inotify_add_watch(queue_, file.c_str(), IN_OPEN); }

  fs::path root_;
  int queue_ = -1;
  int plugins_ = 0;
  std::map<int, std::string> manifests_, libraries_;
};

int loaded_libraries() {
  int count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info*, size_t, void* user) {
        ++*static_cast<int*>(user);
        return 0;
      },
      &count);
  return count;
}

TEST(Startup, ReadsEachManifestOnceAndOpensNoLibrary) {
  Watched watched;
  if (!watched.works()) GTEST_SKIP() << "inotify is not to be had here";
  ASSERT_GE(watched.plugins(), 4);
  const int before = loaded_libraries();
  Session s({watched.root()}, "", false);
  const nlohmann::json found = s.query("plugins");
  s.query("paths");
  EXPECT_EQ(loaded_libraries(), before);
  const Watched::Opened at_start = watched.opened();
  EXPECT_EQ(at_start.manifests.size(), static_cast<size_t>(watched.plugins()));
  for (const auto& [id, count] : at_start.manifests) EXPECT_EQ(count, 1) << id;
  EXPECT_THAT(at_start.libraries, testing::IsEmpty());
  EXPECT_EQ(found.size(), static_cast<size_t>(watched.plugins())) << found;

  // And what is needed is opened then.
  const Tensor x = s.tensor({1, -2});
  EXPECT_THAT(s.floats(s.call("tenon.neg", {value_of(x)})[0].get()), testing::ElementsAre(-1, 2));
  EXPECT_GT(loaded_libraries(), before);
  const Watched::Opened later = watched.opened();
  EXPECT_TRUE(later.libraries.contains("tenon.ops"));
  EXPECT_TRUE(later.libraries.contains("tenon.ref"));
  EXPECT_THAT(later.manifests, testing::IsEmpty());
}

}  // namespace
}  // namespace tenon::tests
