// SPDX-License-Identifier: Apache-2.0
// tests/provider/loading_test.cc: what the provider's manifest says it needs, and what is said
// where that is missing.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/provider/provider_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::string read(const fs::path& file) {
  std::ostringstream bytes;
  bytes << std::ifstream(file, std::ios::binary).rdbuf();
  return bytes.str();
}

class ProviderLoading : public Provider {
 protected:
  void SetUp() override {
    Provider::SetUp();
    if (IsSkipped()) return;
    std::string pattern = (fs::temp_directory_path() / "tenon-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    built = fs::path(plugin_dir()) / id();
    requires_ = Json::parse(read(built / "plugin.json")).at("requires");
  }
  void TearDown() override {
    std::error_code ignored;
    if (!folder.empty()) fs::remove_all(folder, ignored);
  }

  fs::path folder;
  fs::path built;
  Json requires_;
};
INSTANTIATE_TEST_SUITE_P(Each, ProviderLoading, testing::ValuesIn(providers()), short_name);

TEST_P(ProviderLoading, ItsManifestNamesTheLibraryAndTheOp) {
  EXPECT_THAT(requires_.at("ops"), ElementsAre(kMatmul));
  ASSERT_EQ(requires_.at("libraries").size(), 1u);
  const std::string library = requires_.at("libraries")[0];
  EXPECT_THAT(library, HasSubstr(GetParam().library));
  // It is what the system's loader will look for.
  EXPECT_THAT(read(built / (std::string(id()) + ".so")), HasSubstr(library));
}

// A copy of the plugin that asks for a library no machine has.
TEST_P(ProviderLoading, AMissingLibraryIsNamedAndNothingElseSuffers) {
  std::string bytes = read(built / (std::string(id()) + ".so"));
  const std::string name = requires_.at("libraries")[0];
  std::string other = name;
  const std::string part = GetParam().library;
  other[other.find(part) + part.size() - 1] = 'z';
  const size_t at = bytes.find(name);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, name.size(), other);
  fs::create_directories(folder / id());
  fs::copy(built / "plugin.json", folder / id());
  std::ofstream(folder / id() / (std::string(id()) + ".so"), std::ios::binary) << bytes;

  const Runtime runtime(only({.first = {folder.string()}}));
  const Context cx(runtime, TENON_ARITHMETIC_FAST);
  const Tensor a = cx.make(TENON_DTYPE_F32, {2, 2}, {1, 2, 3, 4});
  Tensor c;
  EXPECT_THAT(cx.ran([&] { c = cx.matmul(a, a); }), ElementsAre(kReference));
  EXPECT_THAT(cx.values(c.get()), ElementsAre(7, 10, 15, 22));
  std::vector<std::string> reasons;
  for (const Json& plugin : cx.query("plugins")) {
    if (plugin.at("id") == id()) reasons.push_back(plugin.at("reason"));
  }
  EXPECT_THAT(reasons, Contains(AllOf(HasSubstr("cannot be opened"), HasSubstr(other),
                                      HasSubstr("No such file"))));
}

}  // namespace
}  // namespace tenon::tests
