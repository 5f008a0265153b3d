// SPDX-License-Identifier: Apache-2.0
// tests/evolution/museum_test.cc: plugin binaries that were compiled once and kept. Those of this
// draft load and give right numbers; those of another draft are refused in words.
#include <stdlib.h>
#include <tenon/ext/draft/archives.h>
#include <tenon/ext/draft/loaders.h>
#include <tenon/ext/draft/processes.h>
#include <tenon/ext/draft/tokenizers.h>
#include <tenon/ext/draft/transforms.h>

#include <filesystem>
#include <fstream>

#include "tests/evolution/evolution_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const bool kSanitized = sanitizer() != TENON_SANITIZER_NONE;

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
    if (kSanitized) GTEST_SKIP() << "see MuseumUnderASanitizer";
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

TEST_F(MuseumOfThisDraft, TheTransformTurnsBytes) {
  Session s(exhibits());
  const uint8_t given[] = {0, 1, 200, 255};
  const int64_t shape[] = {2, 2};
  tenon_tensor* made = nullptr;
  s.must(tenon_tensor_create_from(s.context, TENON_DTYPE_U8, nullptr, 2, shape, given, sizeof given,
                                  &made));
  const Tensor field(made);
  tenon_transform* turned = nullptr;
  s.must(
      tenon_transform_create(s.context, "museum.turned", TENON_NUL, nullptr, nullptr, 0, &turned));
  const int64_t samples[] = {0, 1};
  const tenon_batch batch{2, samples, 0, 0};
  s.must(tenon_transform_call(s.context, turned, &batch, field.get(), &made));
  const Tensor result(made);
  uint8_t found[4] = {};
  s.must(tenon_tensor_get_data(s.context, result.get(), found, sizeof found));
  EXPECT_THAT(found, ElementsAre(255, 254, 55, 0));
  const Tensor floats = s.tensor({1, 2});
  EXPECT_THAT(s.refusal(tenon_transform_call(s.context, turned, &batch, floats.get(), &made),
                        TENON_E_DTYPE),
              HasSubstr("bytes are turned alone"));
  tenon_transform_release(turned);
}

TEST_F(MuseumOfThisDraft, TheTokenizerEncodesAndDecodes) {
  Session s(exhibits());
  tenon_tokenizer* letters = nullptr;
  s.must(tenon_tokenizer_create(s.context, "museum.letters", TENON_NUL, nullptr, 0, nullptr,
                                nullptr, 0, &letters));
  tenon_tensor* made = nullptr;
  s.must(tenon_tokenizer_call(s.context, letters, "a cab", 5, 0, 0, &made));
  const Tensor tokens(made);
  int64_t found[5] = {};
  s.must(tenon_tensor_get_data(s.context, tokens.get(), found, sizeof found));
  EXPECT_THAT(found, ElementsAre(0, 26, 2, 0, 1));
  tenon_text* text = nullptr;
  s.must(tenon_tokenizer_get_text(s.context, letters, tokens.get(), 0, &text));
  const char* data = nullptr;
  uint64_t length = 0;
  s.must(tenon_text_get(text, &data, &length));
  EXPECT_EQ(std::string(data, length), "a cab");
  tenon_text_release(text);
  EXPECT_THAT(
      s.refusal(tenon_tokenizer_call(s.context, letters, "A", 1, 0, 0, &made), TENON_E_DATA),
      HasSubstr("neither a letter nor a space"));
  tenon_tokenizer_release(letters);
}

// Its descriptor ends where descriptors of datasets ended once.
TEST_F(MuseumOfThisDraft, TheDatasetIsReadAndHasNoLengths) {
  Session s(exhibits());
  tenon_dataset* squares = nullptr;
  s.must(
      tenon_dataset_create(s.context, "museum.squares", TENON_NUL, nullptr, nullptr, 0, &squares));
  const int64_t indices[] = {4, 0, 3};
  tenon_tensor* made = nullptr;
  s.must(tenon_dataset_call(s.context, squares, indices, 3, &made, 1));
  const Tensor samples(made);
  int64_t found[3] = {};
  s.must(tenon_tensor_get_data(s.context, samples.get(), found, sizeof found));
  EXPECT_THAT(found, ElementsAre(16, 0, 9));
  EXPECT_THAT(
      s.refusal(tenon_dataset_get_lengths(s.context, squares, 0, 3, found), TENON_E_UNSUPPORTED),
      HasSubstr("museum.squares: does not say how long its samples are"));
  tenon_dataset_release(squares);
}

// And this one where they ended later: it says lengths, and is asked by `get`.
TEST_F(MuseumOfThisDraft, TheDatasetWithLengthsIsReadByALoader) {
  Session s(exhibits());
  tenon_dataset* rows = nullptr;
  s.must(tenon_dataset_create(s.context, "museum.rows", TENON_NUL, nullptr, nullptr, 0, &rows));
  int64_t found[4] = {};
  s.must(tenon_dataset_get_lengths(s.context, rows, 0, 4, found));
  EXPECT_THAT(found, ElementsAre(0, 1, 2, 3));
  tenon_loader* loader = nullptr;
  s.must(tenon_loader_create(s.context, rows, 4, 7, 0, &loader));
  tenon_tensor* made = nullptr;
  int64_t n = 0;
  s.must(tenon_loader_run(s.context, loader, &made, 1, &n));
  const Tensor batch(made);
  s.must(tenon_tensor_get_data(s.context, batch.get(), found, sizeof found));
  EXPECT_THAT(found, ElementsAre(0, 1, 2, 3));
  tenon_loader_release(loader);
  tenon_dataset_release(rows);
}

// Its descriptor ends before formats could say what Tenon cannot hold.
TEST_F(MuseumOfThisDraft, TheFormatIsReadAndHasNothingForeign) {
  Session s(exhibits());
  const std::string path = (root / "a.raw").string();
  std::ofstream(path) << "abc";
  tenon_archive* archive = nullptr;
  s.must(tenon_archive_load(s.context, path.c_str(), TENON_NUL, "", 0, 0, &archive));
  const char* words = nullptr;
  uint64_t length = 9;
  s.must(tenon_archive_get_foreign(s.context, archive, 0, &words, &length));
  EXPECT_EQ(length, 0u);
  EXPECT_STREQ(words, "");
  for (const uint32_t flags : {0u, TENON_ARCHIVE_BYTES}) {
    tenon_tensor* made = nullptr;
    s.must(tenon_tensor_create_loaded(s.context, archive, 0, flags, &made));
    const Tensor tensor(made);
    uint8_t found[3] = {};
    s.must(tenon_tensor_get_data(s.context, tensor.get(), found, sizeof found));
    EXPECT_THAT(found, ElementsAre('a', 'b', 'c'));
  }
  tenon_archive_release(archive);
}

// Its descriptor ends before engines could end a program.
TEST_F(MuseumOfThisDraft, TheEngineMovesMemory) {
  Session s(exhibits());
  tenon_group* group = nullptr;
  s.must(tenon_group_create(s.context, "museum.alone", TENON_NUL, nullptr, nullptr, 0, 0, &group));
  const Tensor x = s.tensor({1, 2});
  const tenon_transfer_request sum = {sizeof sum, 0,       TENON_COLLECTIVE_ALL_REDUCE,
                                      0,          x.get(), x.get()};
  const tenon_transfer_request* const requests = &sum;
  tenon_transfer* transfer = nullptr;
  s.must(tenon_group_begin(s.context, group, &requests, 1, 0, &transfer));
  s.must(tenon_transfer_end(s.context, transfer));
  EXPECT_THAT(s.floats(x.get()), ElementsAre(1, 2));
  EXPECT_EQ(tenon_group_abort(s.context, group, 0, "", 0), TENON_E_ARGUMENT);
  tenon_transfer_release(transfer);
  tenon_group_release(group);
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
  if (!kSanitized) GTEST_SKIP() << "this is a plain build";
  Session s(exhibits());
  for (const char* id :
       {"museum.op", "museum.device", "museum.sdk", "museum.data", "museum.samples"}) {
    EXPECT_EQ(
        s.plugin(id).at("reason"),
        std::string("built with no sanitizer; this Tenon with ") +
            (sanitizer() == TENON_SANITIZER_ADDRESS ? "AddressSanitizer" : "ThreadSanitizer"));
  }
}

}  // namespace
}  // namespace tenon::tests
