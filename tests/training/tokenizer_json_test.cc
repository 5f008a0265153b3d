// SPDX-License-Identifier: Apache-2.0
// tests/training/tokenizer_json_test.cc: tokenizer.json and vocab.txt: the words in which files and
// texts are refused, and texts that are long in one way. Values are held against the package
// `tokenizers` in tests/outside.
#include <gmock/gmock.h>
#include <tenon/ext/draft/tokenizers.h>

#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

struct ReleaseTokenizer {
  void operator()(tenon_tokenizer* tokenizer) const { tenon_tokenizer_release(tokenizer); }
};
using Tokenizer = std::unique_ptr<tenon_tokenizer, ReleaseTokenizer>;

constexpr uint32_t kAdd = TENON_TOKENIZER_ADD_SPECIAL;
constexpr uint32_t kRead = TENON_TOKENIZER_READ_SPECIAL;

// Byte pairs of "a", "b" and the space, with two special tokens.
json small() {
  return json::parse(R"({
    "added_tokens": [{"id": 5, "content": "<s>", "normalized": false, "special": true},
                     {"id": 6, "content": "ba", "normalized": false, "single_word": true}],
    "normalizer": null,
    "pre_tokenizer": {"type": "WhitespaceSplit"},
    "post_processor": {"type": "TemplateProcessing",
                       "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                                  {"Sequence": {"id": "A", "type_id": 0}}],
                       "special_tokens": {"<s>": {"id": "<s>", "ids": [5], "tokens": ["<s>"]}}},
    "decoder": {"type": "Fuse"},
    "model": {"type": "BPE", "unk_token": "?", "fuse_unk": true,
              "vocab": {"a": 0, "b": 1, "ab": 2, "abab": 3, "?": 4},
              "merges": ["a b", "ab ab"]}})");
}

class TokenizerJsonFiles : public Training {
 protected:
  void SetUp() override {
    Training::SetUp();
    if (!std::filesystem::exists(std::string(plugin_dir()) + "/tenon.tokenizer_json")) {
      GTEST_SKIP() << "tenon.tokenizer_json is not built: PCRE2 or utf8proc is not there";
    }
  }
  tenon_status create(const char* name, const std::string& file, Tokenizer& out,
                      const std::vector<Option>& options = {}) {
    const Options given(options);
    tenon_tokenizer* made = nullptr;
    const tenon_status status = tenon_tokenizer_create(
        context, name, TENON_NUL, file.data(), file.size(), given.names.data(), given.values.data(),
        static_cast<uint32_t>(given.names.size()), &made);
    out.reset(made);
    return status;
  }
  Tokenizer made(const json& file) {
    Tokenizer out;
    must(create("tenon.tokenizer_json", file.dump(), out));
    return out;
  }
  std::string refused_file(const std::string& file, tenon_status expected) {
    Tokenizer out;
    return refused(create("tenon.tokenizer_json", file, out), expected);
  }
  // The small file with one member changed: "/model/vocab" is null.
  std::string changed(const std::string& pointer, const json& value, tenon_status expected) {
    json file = small();
    file[json::json_pointer(pointer)] = value;
    return refused_file(file.dump(), expected);
  }
  tenon_status encode(const Tokenizer& tokenizer, std::string_view words, uint32_t flags,
                      int64_t limit, Tensor& out) {
    tenon_tensor* tokens = nullptr;
    const tenon_status status = tenon_tokenizer_call(context, tokenizer.get(), words.data(),
                                                     words.size(), flags, limit, &tokens);
    out.reset(tokens);
    return status;
  }
  std::vector<int64_t> encoded(const Tokenizer& tokenizer, std::string_view words,
                               uint32_t flags = 0, int64_t limit = 0) {
    Tensor tokens;
    must(encode(tokenizer, words, flags, limit, tokens));
    return values_of<int64_t>(tokens.get());
  }
};

TEST_F(TokenizerJsonFiles, SpecialAndAddedTokens) {
  const Tokenizer tokenizer = made(small());
  EXPECT_THAT(encoded(tokenizer, "abab ab"), ElementsAre(3, 2));
  EXPECT_THAT(encoded(tokenizer, "xyzab", kAdd), ElementsAre(5, 4, 2));
  EXPECT_THAT(encoded(tokenizer, "a<s>b", kRead), ElementsAre(0, 5, 1));
  EXPECT_THAT(encoded(tokenizer, "a<s>b"), ElementsAre(0, 4, 1));
  EXPECT_THAT(encoded(tokenizer, "ba bab ba"), ElementsAre(6, 1, 2, 6));
  EXPECT_THAT(encoded(tokenizer, "ab ab ab", kAdd, 2), ElementsAre(5, 2));
  tenon_tokenizer_info info{};
  info.struct_size = sizeof info;
  must(tenon_tokenizer_get_info(context, tokenizer.get(), &info));
  EXPECT_EQ(info.size, 7);
  EXPECT_EQ(info.unknown, 4);
  EXPECT_EQ(info.begin, 5);
  EXPECT_EQ(info.end, -1);
  EXPECT_EQ(info.pad, -1);
}

TEST_F(TokenizerJsonFiles, TextsThatAreRefused) {
  const Tokenizer tokenizer = made(small());
  Tensor out;
  EXPECT_THAT(refused(encode(tokenizer, "ab\xFF", 0, 0, out), TENON_E_DATA),
              StartsWith("tenon.tokenizer_json: the text is not UTF-8 from byte 2 on"));
  json without_unknown = small();
  without_unknown["model"].erase("unk_token");
  EXPECT_THAT(refused(encode(made(without_unknown), "ab\xC3\xA9", 0, 0, out), TENON_E_DATA),
              StartsWith("tenon.tokenizer_json: '\xC3\xA9' is not in the vocabulary, which has no "
                         "unknown token"));
  json two = small();
  two["post_processor"]["single"].push_back({{"SpecialToken", {{"id", "<s>"}}}});
  EXPECT_THAT(refused(encode(made(two), "a", kAdd, 1, out), TENON_E_ARGUMENT),
              StartsWith("tenon.tokenizer_json: the limit leaves no room for the special tokens"));
  json growing = small();
  const json longer = {
      {"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", std::string(1000, 'a')}};
  growing["normalizer"] = {{"type", "Sequence"},
                           {"normalizers", json::array({longer, longer, longer})}};
  EXPECT_THAT(refused(encode(made(growing), "a", 0, 0, out), TENON_E_DATA),
              StartsWith("tenon.tokenizer_json: the text becomes too long by the steps"));
  json slow = small();
  slow["pre_tokenizer"] = {{"type", "Split"},
                           {"pattern", {{"Regex", "(a+)+$"}}},
                           {"behavior", "Isolated"},
                           {"invert", false}};
  EXPECT_THAT(refused(encode(made(slow), std::string(4000, 'a') + "b", 0, 0, out), TENON_E_DATA),
              StartsWith("tenon.tokenizer_json: a regular expression of the file cannot cut the "
                         "text"));
}

// What is wrong is named by its place.
TEST_F(TokenizerJsonFiles, FilesThatAreRefused) {
  const std::string us = "tenon.tokenizer_json: ";
  EXPECT_THAT(refused_file("{\"model\": ", TENON_E_DATA),
              StartsWith(us + "it is not JSON from byte 11 on"));
  EXPECT_THAT(refused_file("[]", TENON_E_DATA), HasSubstr("it is not an object"));
  EXPECT_THAT(changed("/model/merges/1", "ab  ab", TENON_E_DATA),
              StartsWith(us + "model.merges[1]: it is not a merge"));
  EXPECT_THAT(changed("/model/merges/1", json::array({"ab"}), TENON_E_DATA),
              StartsWith(us + "model.merges[1]: it is not a merge"));
  EXPECT_THAT(changed("/model/merges/1", "ab x", TENON_E_DATA),
              StartsWith(us + "model: merges: 'x' is not in the vocabulary"));
  EXPECT_THAT(changed("/model/merges/1", 7, TENON_E_DATA),
              StartsWith(us + "model.merges[1]: it is not a list"));
  EXPECT_THAT(changed("/model/unk_token", "absent", TENON_E_DATA),
              StartsWith(us + "model: unk_token: 'absent' is not in the vocabulary"));
  EXPECT_THAT(changed("/model/vocab/b", 0, TENON_E_DATA),
              StartsWith(us + "model.vocab: tokens 'a' and 'b' have one number"));
  EXPECT_THAT(changed("/model/vocab/b", -1, TENON_E_DATA),
              StartsWith(us + "model.vocab: token 'b' has number -1"));
  EXPECT_THAT(changed("/model/vocab/b", 2000000000, TENON_E_DATA),
              StartsWith(us + "model.vocab: token 'b' has number 2000000000"));
  EXPECT_THAT(changed("/model/vocab/b", 1.5, TENON_E_DATA),
              StartsWith(us + "model.vocab.b: it is not a whole number"));
  EXPECT_THAT(changed("/model/dropout", 0.1, TENON_E_UNSUPPORTED),
              StartsWith(us + "model.dropout: merges that are left out by chance"));
  EXPECT_THAT(changed("/model/type", "Unigram", TENON_E_UNSUPPORTED),
              StartsWith(us + "model.type: 'Unigram' is not offered here"));
  EXPECT_THAT(changed("/normalizer", {{"type", "Precompiled"}}, TENON_E_UNSUPPORTED),
              StartsWith(us + "normalizer.type: 'Precompiled' is not offered here"));
  EXPECT_THAT(changed("/pre_tokenizer", {{"type", "Magic"}}, TENON_E_UNSUPPORTED),
              HasSubstr("one of: BertPreTokenizer ByteLevel CharDelimiterSplit Digits Metaspace "
                        "Punctuation Sequence Split Whitespace WhitespaceSplit"));
  EXPECT_THAT(changed("/decoder", {{"type", "CTC"}}, TENON_E_UNSUPPORTED),
              StartsWith(us + "decoder.type: 'CTC' is not offered here"));
  EXPECT_THAT(changed("/post_processor", {{"type", "Other"}}, TENON_E_UNSUPPORTED),
              StartsWith(us + "post_processor.type: 'Other' is not offered here"));
  EXPECT_THAT(changed("/post_processor/special_tokens/<s>/ids/0", 77, TENON_E_DATA),
              StartsWith(us + "post_processor.special_tokens.<s>.ids[0]: it is not a token"));
  EXPECT_THAT(changed("/padding", {{"pad_id", 99}}, TENON_E_DATA),
              StartsWith(us + "padding.pad_id: it is not a token"));
  EXPECT_THAT(changed("/added_tokens/1/id", 0, TENON_E_DATA),
              StartsWith(us + "added_tokens: tokens 'a' and 'ba' have one number"));
  EXPECT_THAT(changed("/added_tokens/1/content", "", TENON_E_DATA),
              StartsWith(us + "added_tokens[1].content: it is empty"));
  EXPECT_THAT(changed("/added_tokens/1/content", std::string(2000, 'x'), TENON_E_DATA),
              HasSubstr("an added token has 2000 bytes"));
}

TEST_F(TokenizerJsonFiles, ExpressionsAndNestingThatAreRefused) {
  const json bad = {{"type", "Split"}, {"pattern", {{"Regex", "(a"}}}, {"behavior", "Isolated"}};
  EXPECT_THAT(changed("/pre_tokenizer", bad, TENON_E_UNSUPPORTED),
              HasSubstr("the regular expression '(a' is not understood"));
  // As text: building it, and writing it, would take a stack of that depth.
  std::string nested = "null";
  for (int i = 0; i < 5000; ++i) {
    nested = R"({"type":"Sequence","normalizers":[)" + nested + "]}";
  }
  std::string file = small().dump();
  file.replace(file.find("\"normalizer\":null") + 13, 4, nested);
  EXPECT_THAT(refused_file(file, TENON_E_DATA), HasSubstr("nested too deeply"));
  EXPECT_THAT(refused_file(std::string(1'000'000, '['), TENON_E_DATA), HasSubstr("not JSON"));
}

// Each is as long as a megabyte, of what slow implementations take the square of the length for.
TEST_F(TokenizerJsonFiles, LongTexts) {
  json file = small();
  file["normalizer"] = {{"type", "NFC"}};
  file["pre_tokenizer"] = {{"type", "ByteLevel"}, {"add_prefix_space", false}};
  const Tokenizer tokenizer = made(file);
  const auto many = [](const char* each, size_t n) {
    std::string all;
    for (size_t i = 0; i < n; ++i) all += each;
    return all;
  };
  EXPECT_EQ(encoded(tokenizer, many("ab", 500'000)).size(), 250'000u);
  EXPECT_EQ(encoded(tokenizer, many(" ", 1'000'000)).size(), 1u);  // unknown, as one
  EXPECT_EQ(encoded(tokenizer, many("\xCC\x81\xCC\xA7", 250'000)).size(), 1u);
  EXPECT_EQ(encoded(tokenizer, many("a\n", 500'000)).size(), 1'000'000u);
}

TEST_F(TokenizerJsonFiles, VocabulariesOfBert) {
  const std::string file = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nun\n##aff\n##able\ncaf\xC3\xA9\n";
  Tokenizer tokenizer;
  must(create("tenon.wordpiece", file, tokenizer, {{"strip_accents", flag(false)}}));
  EXPECT_THAT(encoded(tokenizer, "Unaffable caf\xC3\xA9 [MASK]", kAdd | kRead),
              ElementsAre(2, 5, 6, 7, 8, 4, 3));
  Tokenizer none;
  EXPECT_THAT(refused(create("tenon.wordpiece", "a\nb\n", none), TENON_E_DATA),
              StartsWith("tenon.wordpiece: the vocabulary has no token '[UNK]' for the unknown"));
  EXPECT_THAT(refused(create("tenon.wordpiece", "[UNK]\na\na\n", none), TENON_E_DATA),
              StartsWith("tenon.wordpiece: line 3: token 'a' has two numbers"));
  EXPECT_THAT(refused(create("tenon.wordpiece", "[UNK]\n\xFF\n", none), TENON_E_DATA),
              StartsWith("tenon.wordpiece: the file is not UTF-8 from byte 6 on"));
}

}  // namespace
}  // namespace tenon::tests
