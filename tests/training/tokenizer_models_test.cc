// SPDX-License-Identifier: Apache-2.0
// tests/training/tokenizer_models_test.cc: tokenizer.json with a model of unigrams and with the
// steps that few files have, vocab.json with merges.txt, and the ranks of tiktoken. Values are held
// against the packages in tests/outside.
#include "tests/training/tokenizer_json_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string in_base64(std::string_view bytes) {
  constexpr std::string_view alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t k = i; k < i + 3; ++k) {
      bits = bits << 8 | (k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0U);
    }
    for (size_t k = 0; k < 4; ++k) {
      out += i + k <= bytes.size() ? alphabet[bits >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

// Pieces whose scores have the greatest sum; unknown neighbours are one, or their bytes.
TEST_F(TokenizerJsonFiles, Unigrams) {
  const auto piece = [](const char* text, double score) { return json::array({text, score}); };
  json file = small();
  file["added_tokens"] = {{{"id", 1}, {"content", "<s>"}, {"special", true}}};
  file["post_processor"] = nullptr;
  json& model = file["model"];
  model = {{"type", "Unigram"},
           {"unk_id", 0},
           {"vocab", json::array({piece("?", 0), piece("<s>", 0), piece("a", -1), piece("b", -2),
                                  piece("ab", -3.5), piece("abb", -4.5), piece("bb", -3)})}};
  EXPECT_THAT(encoded(made(file), "ab abb bba"), ElementsAre(2, 3, 2, 6, 6, 2));
  model["vocab"][5][1] = -3.5;
  EXPECT_THAT(encoded(made(file), "abb"), ElementsAre(5));
  EXPECT_THAT(encoded(made(file), "axyb <s>", kRead), ElementsAre(2, 0, 3, 1));
  EXPECT_THAT(encoded(made(file), "<s>"), ElementsAre(0));
  for (const char* byte : {"<0x78>", "<0x79>"}) model["vocab"].push_back(piece(byte, -9));
  model["byte_fallback"] = true;
  EXPECT_THAT(encoded(made(file), "axyb"), ElementsAre(2, 7, 8, 3));
  EXPECT_THAT(encoded(made(file), "axzb"), ElementsAre(2, 0, 3));
  model["unk_id"] = nullptr;
  Tensor out;
  EXPECT_THAT(refused(encode(made(file), "axb", 0, 0, out), TENON_E_DATA),
              HasSubstr("'x' is not in the vocabulary"));
  model["unk_id"] = 9;
  EXPECT_THAT(refused_file(file.dump(), TENON_E_DATA),
              HasSubstr("model.unk_id: it is not a token"));
  model["unk_id"] = 0;
  model["vocab"][3] = "b";
  EXPECT_THAT(refused_file(file.dump(), TENON_E_DATA),
              HasSubstr("model.vocab[3]: it is not a list"));
  model["vocab"][3] = json::array({"b"});
  EXPECT_THAT(refused_file(file.dump(), TENON_E_DATA),
              HasSubstr("model.vocab[3]: it is not a piece"));
  model["vocab"][3] = piece("b", -1);
  model["vocab"][4] = piece(std::string(1025, 'a').c_str(), -1);
  EXPECT_THAT(refused_file(file.dump(), TENON_E_UNSUPPORTED), HasSubstr("token 4 is too long"));
}

// Steps of few files. What the package makes of them is in tests/outside.
TEST_F(TokenizerJsonFiles, RareSteps) {
  json file = small();
  file["post_processor"] = nullptr;
  file["pre_tokenizer"] = {{"type", "FixedLength"}, {"length", 3}};
  EXPECT_THAT(encoded(made(file), "ababab"), ElementsAre(2, 0, 1, 2));
  file["pre_tokenizer"]["length"] = 0;
  EXPECT_THAT(refused_file(file.dump(), TENON_E_DATA), HasSubstr("pre_tokenizer.length"));
  // A Latin word and a Greek one; spaces are of the one before, at the start of none.
  file["pre_tokenizer"] = {{"type", "UnicodeScripts"}};
  file["model"]["vocab"]["ab "] = 7;
  file["model"]["ignore_merges"] = true;
  EXPECT_THAT(encoded(made(file), " ab \u03B1"), ElementsAre(7, 4));
  file["model"]["vocab"]["\u6797\u306E\u30AB\u30FC"] = 8;  // kanji and both kana
  EXPECT_THAT(encoded(made(file), "ab\u6797\u306E\u30AB\u30FC"), ElementsAre(2, 8));

  file = small();
  file["post_processor"] = nullptr;
  file["normalizer"] = {{"type", "Nmt"}};
  EXPECT_THAT(encoded(made(file),
                      "a\x01"
                      "b\u200B"
                      "a"),
              ElementsAre(2, 0));
  file["decoder"] = {
      {"type", "CTC"}, {"pad_token", "?"}, {"word_delimiter_token", "b"}, {"cleanup", true}};
  const std::vector<int64_t> moments = {0, 0, 4, 0, 1, 1, 2};  // a a ? a b b ab
  EXPECT_EQ(decoded(made(file), moments), "aa a ");
}

// The rules of a model of SentencePiece: here a double array of the one key "a", for "b".
TEST_F(TokenizerJsonFiles, RulesOfNormalization) {
  std::array<uint32_t, 512> units{};
  units.fill(1U << 31);                       // of no state
  units[0] = 1U << 10;                        // children from 1 on
  units[1 ^ 'a'] = 'a' | 1U << 8 | 2U << 10;  // its value, the first replacement, lies 2 further
  const auto size = static_cast<uint32_t>(sizeof units);
  std::string rules(reinterpret_cast<const char*>(&size), 4);
  rules.append(reinterpret_cast<const char*>(units.data()), sizeof units);
  rules += std::string_view("b\0", 2);
  json file = small();
  file["added_tokens"] = json::array();
  file["post_processor"] = nullptr;
  file["normalizer"] = {{"type", "Precompiled"}, {"precompiled_charsmap", in_base64(rules)}};
  EXPECT_THAT(encoded(made(file), "aba"), ElementsAre(1, 1, 1));
  // A cluster of fewer than six bytes is looked up whole, and its shortest key counts for all of
  // it.
  EXPECT_THAT(encoded(made(file), "a\u0301"), ElementsAre(1));
  EXPECT_THAT(encoded(made(file), "a\u0301\u0301\u0301"), ElementsAre(1, 4));
  file["normalizer"]["precompiled_charsmap"] = in_base64(rules.substr(0, 40));
  EXPECT_THAT(refused_file(file.dump(), TENON_E_DATA),
              HasSubstr("the length of the trie is wrong"));
  file["normalizer"]["precompiled_charsmap"] = "Y";
  EXPECT_THAT(refused_file(file.dump(), TENON_E_DATA), HasSubstr("not base64"));
}

TEST_F(TokenizerJsonFiles, VocabulariesWithMerges) {
  const std::string vocab =  // "model" is a word as any other
      R"({"a": 0, "b": 1, "\u0120": 2, "ab": 3, "<end>": 4, "model": 5})";
  const auto read = [&](const std::string& file, std::vector<Option> options) {
    Tokenizer tokenizer;
    must(create("tenon.tokenizer_json", file, tokenizer, options));
    return tokenizer;
  };
  const std::string merges = "#version: 0.2\r\na b\r\n";
  const Tokenizer tokenizer = read(vocab, {{"merges", text(merges)}, {"special", text("<end>")}});
  EXPECT_THAT(encoded(tokenizer, "ab ab<end>", kRead), ElementsAre(3, 2, 3, 4));
  const std::string path = (folder / "whole.json").string();
  ASSERT_EQ(tenon_tokenizer_save(context, tokenizer.get(), path.data(), path.size()), TENON_OK);
  tenon_tokenizer* again = nullptr;
  must(tenon_tokenizer_load(context, path.data(), path.size(), nullptr, 0, nullptr, nullptr, 0,
                            &again));
  EXPECT_THAT(encoded(Tokenizer(again), "ab ab<end>", kRead), ElementsAre(3, 2, 3, 4));

  const auto words = [&](const std::string& file, std::vector<Option> options,
                         tenon_status status) {
    Tokenizer none;
    return refused(create("tenon.tokenizer_json", file, none, options), status);
  };
  EXPECT_THAT(words(vocab, {}, TENON_E_DATA), HasSubstr("not a tokenizer.json but a vocab.json"));
  EXPECT_THAT(words(R"({"config": {}, "vocab": []})", {}, TENON_E_DATA),
              HasSubstr("a tekken.json"));
  EXPECT_THAT(words("{}", {}, TENON_E_DATA), HasSubstr("but another file"));
  EXPECT_THAT(words(small().dump(), {{"merges", text(merges)}}, TENON_E_ATTRIBUTE),
              HasSubstr("merges are for a vocab.json"));
  EXPECT_THAT(words(small().dump(), {{"special", text("a")}}, TENON_E_ATTRIBUTE),
              HasSubstr("special"));
  EXPECT_THAT(words(vocab, {{"merges", text(merges)}, {"special", text("<e>")}}, TENON_E_ATTRIBUTE),
              HasSubstr("'<e>' is not in the vocabulary"));
  EXPECT_THAT(words(vocab, {{"merges", text("merges.txt")}}, TENON_E_ATTRIBUTE),
              HasSubstr("it has no merge"));
  EXPECT_THAT(words("\"{}\"", {}, TENON_E_DATA), HasSubstr("but JSON of another kind"));
  EXPECT_THAT(words(R"({"a": 1e999})", {}, TENON_E_DATA), HasSubstr("a number in it is too large"));
  EXPECT_THAT(words(R"({"model": )", {}, TENON_E_DATA), HasSubstr("cut off at byte 10"));
  EXPECT_THAT(words(R"({"a</w>": 0})", {{"merges", text("a b")}}, TENON_E_UNSUPPORTED),
              HasSubstr("marks ends of words"));
}

// Of a file of tiktoken the same expression means another thing.
TEST_F(TokenizerJsonFiles, RanksOfTiktoken) {
  const std::string file = "YQ== 0\nMQ== 1\nCg== 2\nMTE= 3\r\n\nMTEx 4\nYWE= 9\n";
  const auto read = [&](std::vector<Option> options) {
    Tokenizer tokenizer;
    must(create("tenon.tiktoken", file, tokenizer, options));
    return tokenizer;
  };
  EXPECT_THAT(encoded(read({{"pattern", text("\\p{N}{1,3}+|.")}}), "1111111"),
              ElementsAre(4, 4, 1));
  EXPECT_THAT(
      encoded(read({{"pattern", text("a+$|.")}, {"special", text("<e>=7")}}), "aaaa1aa<e>", kRead),
      ElementsAre(0, 0, 0, 0, 1, 9, 7));
  EXPECT_THAT(encoded(read({{"pattern", text("a+$|\\n|a")}}), "aa\naa"), ElementsAre(0, 0, 2, 9));
  EXPECT_THAT(encoded(read({{"pattern", text("a+$|\\n|a")}}), "aa\n"), ElementsAre(0, 0, 2));
  const auto words = [&](const std::string& bytes, std::vector<Option> options,
                         tenon_status status) {
    Tokenizer none;
    return refused(create("tenon.tiktoken", bytes, none, options), status);
  };
  for (const char* line : {"YQ=a 0", "YQ==", "YQ== x", "YQ== 1 2", " 0", "YQ== -1"}) {
    EXPECT_THAT(words(line, {{"pattern", text("a+")}}, TENON_E_DATA),
                HasSubstr("line 1 is not a token"));
  }
  EXPECT_THAT(words("YQ== 0\nMQ== 0\n", {{"pattern", text("a+")}}, TENON_E_DATA),
              HasSubstr("one number"));
  EXPECT_THAT(words("YQ== 9999999\n", {{"pattern", text("a+")}}, TENON_E_DATA),
              HasSubstr("has number"));
  EXPECT_THAT(words(file, {{"pattern", text("(")}}, TENON_E_UNSUPPORTED),
              HasSubstr("not understood"));
  EXPECT_THAT(words(file, {{"pattern", text("a+")}, {"special", text("<e>")}}, TENON_E_ATTRIBUTE),
              HasSubstr("no special token"));
  EXPECT_THAT(words(file, {}, TENON_E_ATTRIBUTE), HasSubstr("pattern"));
  for (const char* name : {"cl100k", "GPT2", "o200k-base", "cl100k_base "}) {
    EXPECT_THAT(words(file, {{"pattern", text(name)}}, TENON_E_ATTRIBUTE),
                HasSubstr("one of: gpt2 r50k_base p50k_base p50k_edit cl100k_base o200k_base "
                          "o200k_harmony"));
  }
  EXPECT_THAT(
      words(file, {{"pattern", text("gpt2")}}, TENON_E_ATTRIBUTE),
      HasSubstr("these are not the ranks of gpt2\ntenon.tiktoken\npattern\na file of 50256"));
  EXPECT_THAT(words("\n", {{"pattern", text("a+")}}, TENON_E_DATA), HasSubstr("it has no token"));
  // Bytes that are not UTF-8 are shown, and end no message.
  EXPECT_THAT(words("/w== 0\nAA== 0\n", {{"pattern", text("a+")}}, TENON_E_DATA),
              HasSubstr("tokens '\\x00' and '\\xff' have one number"));
  // The token of nothing that Whisper's file has.
  Tokenizer whisper;
  must(create("tenon.tiktoken", "YQ== 0\n= 1\n", whisper, {{"pattern", text(".")}}));
  EXPECT_THAT(encoded(whisper, "aa"), ElementsAre(0, 0));
  Tensor out;
  EXPECT_THAT(refused(encode(read({{"pattern", text("a+")}}), "aa1", 0, 0, out), TENON_E_DATA),
              HasSubstr("leaves a part of the text out"));
  EXPECT_THAT(refused(encode(read({{"pattern", text(".")}}), "ab", 0, 0, out), TENON_E_DATA),
              HasSubstr("no token for a byte of the text"));
}

}  // namespace
}  // namespace tenon::tests
