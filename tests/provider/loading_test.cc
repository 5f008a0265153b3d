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

  static std::string state(const Context& cx) {
    for (const Json& plugin : cx.query("plugins")) {
      if (plugin.at("id") == id()) return plugin.at("state");
    }
    return "not there";
  }

  fs::path folder;
  fs::path built;
  Json requires_;
};
INSTANTIATE_TEST_SUITE_P(Each, ProviderLoading, testing::ValuesIn(providers()), short_name);

TEST_P(ProviderLoading, ItsManifestNamesTheLibraryAndTheOp) {
  EXPECT_THAT(requires_.at("ops"), Contains(kMatmul));
  ASSERT_EQ(requires_.at("libraries").size(), 1u);
  const std::string library = requires_.at("libraries")[0];
  EXPECT_THAT(library, HasSubstr(GetParam().library));
  // It is what the system's loader will look for.
  EXPECT_THAT(read(built / (std::string(id()) + ".so")), HasSubstr(library));
}

// Loading the library takes longer than all else of a first call.
TEST_P(ProviderLoading, StaysClosedUntilItMayBeChosen) {
  EXPECT_EQ(Json::parse(read(built / "plugin.json")).at("kernels")[0].at("canonical"), false);
  const std::vector<std::function<void(const Context&, const Tensor&)>> asks = {
      [](const Context& cx, const Tensor& a) {
        cx.must(cx.pin(kMatmul, id()));
        EXPECT_EQ(cx.chosen(a, a), id());
        EXPECT_THAT(cx.ran([&] { cx.matmul(a, a); }), ElementsAre(id()));
        cx.must(cx.pin(kMatmul, ""));
      },
      [](const Context& cx, const Tensor& a) {
        const Json explained = cx.explain(a, a);
        std::vector<std::string> listed;
        for (const Json& each : explained.at("candidates")) listed.push_back(each.at("plugin"));
        EXPECT_THAT(listed, Contains(id()));
      },
      [](const Context& cx, const Tensor&) { cx.query("ops"); }};
  for (const auto& ask : asks) {
    const Runtime runtime(only());
    const Context cx(runtime);
    const Tensor a = cx.make(TENON_DTYPE_F32, {2, 2}, {1, 2, 3, 4});
    const std::string before = cx.bytes(cx.matmul(a, a).get());
    EXPECT_EQ(state(cx), "found");
    ask(cx, a);
    EXPECT_EQ(state(cx), "open");
    EXPECT_EQ(cx.bytes(cx.matmul(a, a).get()), before);
    EXPECT_THAT(cx.ran([&] { cx.matmul(a, a); }), ElementsAre(kReference));
  }
}

TEST_P(ProviderLoading, FastArithmeticOpensIt) {
  const Runtime runtime(only());
  const Context canonical(runtime);
  const Tensor a = canonical.make(TENON_DTYPE_F32, {64, 64}, std::vector<double>(4096, 0.5));
  canonical.matmul(a, a);
  EXPECT_EQ(state(canonical), "found");
  const Context fast(runtime, TENON_ARITHMETIC_FAST);
  EXPECT_THAT(fast.ran([&] { fast.matmul(a, a); }), ElementsAre(id()));
  EXPECT_EQ(state(canonical), "open");
  EXPECT_THAT(canonical.ran([&] { canonical.matmul(a, a); }), ElementsAre(kReference));
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
