// SPDX-License-Identifier: Apache-2.0
// tests/training/tokenizer_files_test.cc: a file opened by its name that no tokenizer here claims.
// The words say what it is, what reads it, and why that is not there.
#include <gmock/gmock.h>
#include <tenon/ext/draft/archives.h>
#include <tenon/sdk/plugin/plugin.hpp>
#include <tenon/sdk/plugin/tokenizer.hpp>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/support/program_query.h"
#include "tests/training/tokenizers_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Tokenizers that have these names and claim no file.
struct Nothing {
  Nothing(const sdk::Attrs&, const sdk::TokenizerFile&) {}
  tenon_tokenizer_info info() const { return sdk::tokenizer_info(0); }
  std::vector<int32_t> encode(std::string_view, uint32_t, int64_t) const { return {}; }
  std::string decode(std::span<const int32_t>, uint32_t) const { return {}; }
  sdk::Spelling token(int32_t) const { return {}; }
  int32_t find(std::string_view) const { return -1; }
};
constexpr tenon_tokenizer_desc kTokenizers[] = {
    sdk::tokenizer<Nothing>({.name = "tenon.sentencepiece", .doc = "None."}),
    sdk::tokenizer<Nothing>({.name = "tenon.tiktoken", .doc = "None."}),
    sdk::tokenizer<Nothing>({.name = "tenon.tokenizer_json", .doc = "None."}),
    sdk::tokenizer<Nothing>({.name = "tenon.wordpiece", .doc = "None."})};
constexpr sdk::Unit kUnit = {.tokenizers = kTokenizers};
constexpr const sdk::Unit* kUnits[] = {&kUnit};
struct Data {
  static sdk::About about() { return {"acme.claimless", "1.0.0", "Apache-2.0", kUnits}; }
};
tenon_status claimless_query(const tenon_host* host, tenon_plugin* out, tenon_diag* diag) {
  return query_in_program<Data>(host, out, diag);
}

// An installation with tenon.tokenizers and tenon.formats alone, and what a test puts beside them.
class TokenizerFiles : public Training {
 protected:
  void SetUp() override {
    Training::SetUp();
    std::filesystem::create_directory(plugins());
    for (const std::string name : {"tenon.formats", "tenon.tokenizers"}) {
      const auto built = std::filesystem::path(plugin_dir()) / name;
      std::filesystem::create_directory_symlink(built, plugins() / name);
    }
    open();
  }

  std::filesystem::path plugins() const { return folder / "plugins"; }

  void open() {
    tenon_context_release(context);
    tenon_runtime_release(runtime);
    context = nullptr;
    runtime = nullptr;
    const std::string where = plugins().string();
    const tenon_string paths[] = {{where.data(), where.size()}};
    tenon_runtime_options options{};
    options.struct_size = sizeof options;
    options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS;
    options.paths = paths;
    options.n_paths = 1;
    tenon_diag diag{};
    ASSERT_EQ(tenon_runtime_create(&options, &diag, &runtime), TENON_OK) << diag.message;
    ASSERT_EQ(tenon_context_create(runtime, &diag, &context), TENON_OK) << diag.message;
  }

  // A plugin that lists this entry, and needs a library that nobody has.
  void add_broken(const std::string& id, const char* plural, const std::string& entry) {
    std::filesystem::create_directory(plugins() / id);
    nlohmann::json manifest = {{"id", id},
                               {"version", "1.0.0"},
                               {"license", "Apache-2.0"},
                               {"library", "broken.so"},
                               {"abi",
                                {{"major", TENON_ABI_MAJOR},
                                 {"minor", TENON_ABI_MINOR},
                                 {"required_minor", TENON_ABI_MINOR},
                                 {"draft", TENON_ABI_DRAFT}}},
                               {"requires", {{"libraries", {"libacme_absent.so.7"}}}}};
    manifest[plural] = {entry};
    write("plugins/" + id + "/plugin.json", manifest.dump());
    write("plugins/" + id + "/broken.so", "");
  }

  // What the message says after the path, and the hint.
  std::string words(const std::string& name) {
    const std::string where = path(name);
    tenon_tokenizer* made = nullptr;
    std::string all = refused(tenon_tokenizer_load(context, where.data(), where.size(), nullptr, 0,
                                                   nullptr, nullptr, 0, &made),
                              TENON_E_NOT_FOUND);
    EXPECT_EQ(made, nullptr);
    EXPECT_THAT(all, HasSubstr("\n\npath\none of: .characters .pairs\n" + where + "\n\n"));
    all.pop_back();
    const size_t end = all.find('\n');
    const std::string start = "no tokenizer is for files named as '" + where + "'";
    EXPECT_THAT(all, StartsWith(start));
    return all.substr(start.size(), end - start.size()) + " | " + all.substr(all.rfind('\n') + 1);
  }
};

TEST_F(TokenizerFiles, WhatIsNotHereIsNamedWithItsPlugin) {
  const std::string sentencepiece =
      ": such files are models of SentencePiece, for tenon.sentencepiece, which is not here | it "
      "comes with the plugin tenon.sentencepiece, which is built where libsentencepiece-dev is "
      "installed";
  EXPECT_EQ(words("t5.model"), sentencepiece);
  EXPECT_EQ(words("t5.spm"), sentencepiece);
  const std::string comes =
      ", which is not here | it comes with the plugin tenon.tokenizer_json, which is built where "
      "libonig-dev and libutf8proc-dev are installed";
  const std::string json =
      ": such files are tokenizers of the package `tokenizers`, for tenon.tokenizer_json" + comes;
  EXPECT_EQ(words("tokenizer.json"), json);
  EXPECT_EQ(words("gpt2.json"), json);
  EXPECT_EQ(words("vocab.txt"),
            ": such files are BERT's vocabularies, for tenon.wordpiece" + comes);
  EXPECT_EQ(words("cl100k_base.tiktoken"),
            ": such files are ranks of tiktoken, for tenon.tiktoken" + comes);
  EXPECT_EQ(words("vocab.json"),
            ": such files are vocabularies of GPT-2's kind, for tenon.tokenizer_json" + comes);
  EXPECT_EQ(words("merges.txt"),
            ": such files are merges of GPT-2's kind, for tenon.tokenizer_json" + comes);
}

TEST_F(TokenizerFiles, WhatNoneReadsHasAnotherFileBesideIt) {
  EXPECT_EQ(words("tekken.json"),
            ": such files are ranks of Mistral's, which no tokenizer reads | take the "
            "tokenizer.json of the same model");
  for (const char* name : {"tokenizer_config.json", "special_tokens_map.json"}) {
    EXPECT_EQ(words(name),
              ": such files are settings beside a tokenizer, which no tokenizer reads | take the "
              "tokenizer.json beside it");
  }
}

TEST_F(TokenizerFiles, WhatIsHereAndDoesNotClaimTheFileIsNamed) {
  must(tenon_plugin_load(context, claimless_query));
  EXPECT_EQ(words("t5.spm"),
            ": such files are models of SentencePiece, for tenon.sentencepiece | name the "
            "tokenizer tenon.sentencepiece");
  EXPECT_EQ(words("vocab.txt"),
            ": such files are BERT's vocabularies, for tenon.wordpiece | name the tokenizer "
            "tenon.wordpiece");
  EXPECT_EQ(words("cl100k_base.tiktoken"),
            ": such files are ranks of tiktoken, for tenon.tiktoken | name the tokenizer "
            "tenon.tiktoken, and give it the option `pattern`");
  EXPECT_EQ(words("vocab.json"),
            ": such files are vocabularies of GPT-2's kind, for tenon.tokenizer_json | name the "
            "tokenizer tenon.tokenizer_json, and give it the option `merges`");
  EXPECT_EQ(
      words("merges.txt"),
      ": such files are merges of GPT-2's kind, for tenon.tokenizer_json | give the vocab.json "
      "beside it, and these lines as the option `merges`");
}

TEST_F(TokenizerFiles, OtherNamesSayNothing) {
  const std::string nothing = " | name the tokenizer, for example tenon.pairs";
  for (const char* name : {"words", "my_vocab.txt", "vocab.txt.gz", "model", "t5.model.old"}) {
    EXPECT_EQ(words(name), nothing);
  }
  std::filesystem::create_directory(folder / "t5.model");
  EXPECT_EQ(words("t5.model/words"), nothing);
  // A plugin that is there twice takes nothing away.
  std::filesystem::create_directory_symlink(plugins() / "tenon.tokenizers", plugins() / "twice");
  open();
  EXPECT_EQ(words("words"), nothing);
}

// What stands in a repository that was taken without its large files.
TEST_F(TokenizerFiles, APointerOfGitLfsIsNamed) {
  const std::string path = (folder / "words.pairs").string();
  std::ofstream(path)
      << "version https://git-lfs.github.com/spec/v1\n"
         "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
         "size 12345\n";
  tenon_tokenizer* made = nullptr;
  EXPECT_THAT(refused(tenon_tokenizer_load(context, path.data(), path.size(), nullptr, 0, nullptr,
                                           nullptr, 0, &made),
                      TENON_E_DATA),
              HasSubstr("'" + path + "' is a pointer of Git LFS, not the file itself"));
  EXPECT_EQ(made, nullptr);
}

TEST_F(TokenizerFiles, ARefusedPluginIsNamedWithItsReason) {
  add_broken("tenon.sentencepiece", "tokenizers", "tenon.sentencepiece");
  add_broken("acme.other", "tokenizers", "acme.other");
  open();
  const auto refusal = [&](const std::string& id) {
    return "; plugin " + id + " in " + (plugins() / id).string() +
           ", which has tokenizers, was refused: it needs the library libacme_absent.so.7, which "
           "cannot be opened: ";
  };
  const std::string both = words("t5.model");
  EXPECT_THAT(both,
              StartsWith(": such files are models of SentencePiece, for tenon.sentencepiece, which "
                         "is not here" +
                         refusal("tenon.sentencepiece")));
  EXPECT_THAT(both, Not(HasSubstr("acme.other"))) << "it lists another tokenizer";
  EXPECT_THAT(both, testing::EndsWith(" | `tenon doctor` shows every plugin; a new runtime tries "
                                      "again after it was put right"));
  const std::string any = words("words");
  EXPECT_THAT(any, StartsWith(refusal("acme.other")));
  EXPECT_THAT(any, HasSubstr(refusal("tenon.sentencepiece")));
  EXPECT_THAT(any, testing::EndsWith(" | name the tokenizer, for example tenon.pairs; `tenon "
                                     "doctor` shows every plugin"));
  EXPECT_THAT(words("vocab.txt"), HasSubstr(", which is not here" + refusal("acme.other")));
}

TEST_F(TokenizerFiles, APluginThatCannotSayWhatItHasIsNamed) {
  std::filesystem::create_directory(plugins() / "acme.odd");
  write("plugins/acme.odd/plugin.json", "{");
  open();
  EXPECT_THAT(words("t5.model"),
              HasSubstr(", which is not here; what " + (plugins() / "acme.odd").string() +
                        " offers is unknown: "));
}

// The same of every kind that files are opened by.
TEST_F(TokenizerFiles, FormatsToo) {
  add_broken("acme.format", "formats", "acme.format");
  add_broken("acme.other", "tokenizers", "acme.other");
  open();
  const std::string where = path("a.acme");
  tenon_archive* made = nullptr;
  const std::string all =
      refused(tenon_archive_load(context, where.data(), where.size(), nullptr, 0, 0, &made),
              TENON_E_NOT_FOUND);
  EXPECT_THAT(all, StartsWith("no format is for files named as '" + where +
                              "'; plugin acme.format in " + (plugins() / "acme.format").string() +
                              ", which has formats, was refused: it needs the library "
                              "libacme_absent.so.7, which cannot be opened: "));
  EXPECT_THAT(all, Not(HasSubstr("acme.other")));
}

}  // namespace
}  // namespace tenon::tests
