// SPDX-License-Identifier: Apache-2.0
// tests/evolution/museum_test.cc: plugin binaries that were compiled once and kept. Those of this
// draft load and give right numbers; those of another draft are refused in words.
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "tests/evolution/evolution_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

#if defined(__SANITIZE_ADDRESS__)
constexpr const char* kSanitizer = "AddressSanitizer";
#elif defined(__SANITIZE_THREAD__)
constexpr const char* kSanitizer = "ThreadSanitizer";
#else
constexpr const char* kSanitizer = nullptr;
#endif

// The exhibits in a folder of our own: who owns the working copy is not what is tested.
class Museum : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(__x86_64__)
    GTEST_SKIP() << "the museum's binaries are for x86-64";
#endif
    std::string pattern = (fs::temp_directory_path() / "tenon-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
    const std::string draft = "draft" + std::to_string(TENON_ABI_DRAFT);
    fs::copy(fs::path(source_dir()) / "tests/abi/museum" / draft / "x86-64", root / "museum",
             fs::copy_options::recursive);
  }
  void TearDown() override {
    std::error_code ignored;
    if (!root.empty()) fs::remove_all(root, ignored);
  }

  std::vector<std::string> exhibits() const { return {(root / "museum").string()}; }

  // museum.op compiled for draft 99, beside a manifest that states `draft`.
  std::vector<std::string> forged(int draft) {
    std::ifstream text(root / "museum/museum.op/plugin.json");
    nlohmann::json manifest = nlohmann::json::parse(text);
    manifest.erase("sha256");
    manifest["abi"]["draft"] = draft;
    const fs::path folder = root / "forged/museum.op";
    fs::create_directories(folder);
    std::ofstream(folder / "plugin.json") << manifest.dump();
    fs::copy(fs::path(test_plugin_dir()) / "draft99/museum.op.so", folder);
    return {(root / "forged").string()};
  }

  fs::path root;
};

class MuseumOfThisDraft : public Museum {
 protected:
  void SetUp() override {
    Museum::SetUp();
    if (kSanitizer) GTEST_SKIP() << "see MuseumUnderASanitizer";
  }
};

TEST_F(MuseumOfThisDraft, TheOpInCComputesAndDifferentiates) {
  Session s(exhibits());
  const Tensor x = s.parameter({1, -2, 3});
  const std::vector<Tensor> y = s.call("museum.twice", {value_of(x)});
  EXPECT_THAT(s.floats(y[0].get()), ElementsAre(2, -4, 6));
  s.backward(y[0]);
  EXPECT_THAT(s.grad(x), ElementsAre(2, 2, 2));
  EXPECT_EQ(s.explain("museum.twice", {value_of(x)}).at("chosen").at("plugin"), "museum.op");
}

TEST_F(MuseumOfThisDraft, TheOpOfTheSdkComputesDifferentiatesAndThrows) {
  Session s(exhibits(), "layout,finite");
  const Tensor x = s.parameter({1, -2, 3});
  const std::vector<Tensor> y = s.call("museum.cube", {value_of(x)}, {value_of(2.0)});
  EXPECT_THAT(s.floats(y[0].get()), ElementsAre(2, -16, 54));
  s.backward(y[0]);
  EXPECT_THAT(s.grad(x), ElementsAre(6, 24, 54));
  std::vector<Tensor> none(1);
  EXPECT_THAT(s.refusal(s.try_call("museum.cube", {value_of(x)}, {value_of(13.0)}, none),
                        TENON_E_ATTRIBUTE),
              HasSubstr("13 brings bad luck"));
}

TEST_F(MuseumOfThisDraft, TheDeviceHoldsTensorsAndRunsItsKernel) {
  Session s(exhibits());
  tenon_device device{};
  s.must(tenon_device_find(s.context, "museum", TENON_NUL, 0, &device));
  s.must(tenon_context_set_device(s.context, &device));
  const Tensor x = s.tensor({1, -2, 3});
  EXPECT_THAT(s.floats(s.call("museum.twice", {value_of(x)})[0].get()), ElementsAre(2, -4, 6));
  const auto chosen = s.explain("museum.twice", {value_of(x)}).at("chosen");
  EXPECT_EQ(chosen.at("plugin"), "museum.device");
}

TEST_F(Museum, AnotherDraftIsRefusedByItsManifest) {
  Session s(forged(99));
  const std::string words = "built for ABI draft 99; this Tenon loads draft " +
                            std::to_string(TENON_ABI_DRAFT) + ": it needs a newer Tenon";
  const auto plugin = s.plugin("museum.op");
  EXPECT_EQ(plugin.at("state"), "refused") << plugin;
  EXPECT_EQ(plugin.at("reason"), words);
  const tenon_op* op = nullptr;
  EXPECT_THAT(
      s.refusal(tenon_op_find(s.context, "museum.twice", TENON_NUL, 0, &op), TENON_E_PLUGIN),
      HasSubstr(words));
}

TEST_F(Museum, AnotherDraftIsRefusedByTheLibraryWhereTheManifestLies) {
  Session s(forged(TENON_ABI_DRAFT));
  const auto plugin = s.plugin("museum.op");
  EXPECT_EQ(plugin.at("state"), "refused") << plugin;
  EXPECT_EQ(plugin.at("reason"), "built for ABI draft 99; this Tenon loads draft " +
                                     std::to_string(TENON_ABI_DRAFT) + ": it needs a newer Tenon");
}

TEST_F(Museum, EarlierDraftsAreRefusedWithWhatToDo) {
  for (int draft = 1; draft < TENON_ABI_DRAFT; ++draft) {
    const std::string name = "draft" + std::to_string(draft);
    fs::copy(fs::path(source_dir()) / "tests/abi/museum" / name / "x86-64", root / name,
             fs::copy_options::recursive);
    Session s({(root / name).string()});
    for (const char* id : {"museum.op", "museum.device", "museum.sdk"}) {
      EXPECT_EQ(s.plugin(id).at("state"), "refused");
      EXPECT_EQ(s.plugin(id).at("reason"), "built for ABI draft " + std::to_string(draft) +
                                               "; this Tenon loads draft " +
                                               std::to_string(TENON_ABI_DRAFT) +
                                               ": build it again with the headers of this Tenon");
    }
    const tenon_op* op = nullptr;
    EXPECT_THAT(
        s.refusal(tenon_op_find(s.context, "museum.twice", TENON_NUL, 0, &op), TENON_E_PLUGIN),
        HasSubstr("build it again with the headers of this Tenon"));
  }
}

// A plain plugin in an instrumented process would hide what the instruments look for.
TEST_F(Museum, MuseumUnderASanitizerIsRefused) {
  if (!kSanitizer) GTEST_SKIP() << "this is a plain build";
  Session s(exhibits());
  for (const char* id : {"museum.op", "museum.device", "museum.sdk"}) {
    EXPECT_EQ(s.plugin(id).at("reason"),
              std::string("built with no sanitizer; this Tenon with ") + kSanitizer);
  }
}

}  // namespace
}  // namespace tenon::tests
