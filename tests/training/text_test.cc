// SPDX-License-Identifier: Apache-2.0
// tests/training/text_test.cc: how byte pairs are learnt and merged; windows of tokens, and the
// words in which texts and tokenizers are refused for them.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "plugins/tokenizers/pair_trainer.hpp"
#include "tests/training/tokenizers_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using tokenizers::Pairs;
using tokenizers::PairTrainer;
using tokenizers::Token;
using tokenizers::TokenPair;
using tokenizers::Words;

TEST(TokenizersOfPairs, MergesInTheOrderTheyWereLearnt) {
  const TokenPair merges[] = {{'a', 'b'}, {256, 'c'}, {'b', 'c'}, {'a', 'a'}};
  const Pairs pairs(merges);
  EXPECT_EQ(pairs.size(), 260);
  EXPECT_THAT(pairs.encode("abc"), ElementsAre(257));
  EXPECT_THAT(pairs.encode("bcabab"), ElementsAre(258, 256, 256));
  EXPECT_THAT(pairs.encode("aaab"), ElementsAre(259, 256));
  EXPECT_THAT(pairs.encode("aaaa a"), ElementsAre(259, 259, ' ', 'a'));
  EXPECT_EQ(pairs.decode(std::vector<Token>{257, ' ', 258}), "abc bc");
}

TEST(TokenizersOfPairs, WordsAreRunsWithTheSpaceBeforeThem) {
  std::vector<std::string> found;
  Words words("Tea, \xC3\xA9t\xC3\xA9 1984  two\n\nlines ");
  for (auto word = words.next(); !word.empty(); word = words.next()) found.emplace_back(word);
  EXPECT_THAT(found, ElementsAre("Tea", ",", " \xC3\xA9t\xC3\xA9", " 1984", " ", " two", "\n", "\n",
                                 "lines", " "));
  const std::string longest(1000, 'x');
  EXPECT_EQ(Words(longest).next().size(), tokenizers::kLongestWord);
}

// "ab" stands 5 times, " ab" twice; (a,b) first, then of the equal (32,256) and (256,c) the lower.
TEST(TokenizersOfPairs, TheMostFrequentPairFirstAndOfEqualsTheLower) {
  EXPECT_THAT(PairTrainer("ab ab ab\nabc\nabc").train(300),
              ElementsAre(TokenPair{'a', 'b'}, TokenPair{' ', 256}, TokenPair{256, 'c'}));
  EXPECT_THAT(PairTrainer("ab ab ab\nabc\nabc").train(257), ElementsAre(TokenPair{'a', 'b'}));
  EXPECT_TRUE(PairTrainer("abcdef").train(300).empty());
  EXPECT_TRUE(PairTrainer("").train(300).empty());
}

// Counting everything anew before each merge gives the same.
TEST(TokenizersOfPairs, TrainingAgreesWithPlainCounting) {
  std::string text;
  uint32_t state = 7;
  for (int i = 0; i < 3000; ++i) {
    state = state * 1664525u + 1013904223u;
    text += "aabc d\n"[(state >> 16) % 7];
  }
  std::vector<std::vector<Token>> words;
  Words all(text);
  for (auto word = all.next(); !word.empty(); word = all.next()) {
    words.emplace_back(word.begin(), word.end());
  }
  std::vector<TokenPair> expected;
  while (expected.size() < 60) {
    std::map<TokenPair, int> counts;
    for (const auto& word : words) {
      for (size_t i = 0; i + 1 < word.size(); ++i) ++counts[{word[i], word[i + 1]}];
    }
    const auto best = std::max_element(counts.begin(), counts.end(), [](auto& a, auto& b) {
      return a.second < b.second;
    });  // of equals the first: the lowest
    for (auto& word : words) {
      tokenizers::merge_pair(word, best->first, 256 + static_cast<Token>(expected.size()));
    }
    expected.push_back(best->first);
  }
  EXPECT_EQ(PairTrainer(text).train(316), expected);
}

class TextSet : public TokenizerTest {
 protected:
  std::vector<int64_t> sample(const Dataset& set, int64_t index, int field) {
    tenon_tensor* fields[2] = {};
    must(tenon_dataset_call(context, set.get(), &index, 1, fields, 2));
    const Tensor both[] = {Tensor(fields[0]), Tensor(fields[1])};
    return values_of<int64_t>(both[field].get());
  }
  int64_t length(const Dataset& set) {
    int64_t out = -1;
    must(tenon_dataset_get_length(context, set.get(), &out));
    return out;
  }
  // Of the last error.
  std::string cause() const {
    tenon_error error{};
    error.struct_size = sizeof error;
    EXPECT_EQ(tenon_context_get_error(context, &error), TENON_OK);
    return error.n_causes == 1 ? error.causes[0] : "";
  }
};

TEST_F(TextSet, WindowsAndTheirTargets) {
  const std::string where = write("text", "abcabca");
  const Dataset bytes = dataset(
      "tenon.text", {{"path", text(where)}, {"tokenizer", text("byte")}, {"window", whole(3)}});
  EXPECT_EQ(length(bytes), 2);
  EXPECT_THAT(sample(bytes, 1, 0), ElementsAre('a', 'b', 'c'));
  EXPECT_THAT(sample(bytes, 1, 1), ElementsAre('b', 'c', 'a'));
  const Dataset characters = dataset("tenon.text", {{"path", text(where)},
                                                    {"tokenizer", text("char")},
                                                    {"window", whole(4)},
                                                    {"stride", whole(1)}});
  EXPECT_EQ(length(characters), 3);
  EXPECT_THAT(sample(characters, 2, 0), ElementsAre(2, 0, 1, 2));
  EXPECT_THAT(sample(characters, 2, 1), ElementsAre(0, 1, 2, 0));
  const std::string file = write("a.pairs", "tenon-pairs 1\n97 98\n256 99\n");
  const Dataset pairs = dataset(
      "tenon.text", {{"path", text(where)}, {"tokenizer", text(file)}, {"window", whole(2)}});
  EXPECT_EQ(length(pairs), 1);
  EXPECT_THAT(sample(pairs, 0, 0), ElementsAre(257, 257));
  EXPECT_THAT(sample(pairs, 0, 1), ElementsAre(257, 'a'));
  const Dataset none = dataset(
      "tenon.text", {{"path", text(where)}, {"tokenizer", text("byte")}, {"window", whole(7)}});
  EXPECT_EQ(length(none), 0);
}

TEST_F(TextSet, WhatIsWrongIsSaid) {
  const std::string where = write("text", "abc\xFF");
  const auto refuse = [&](const std::string& tokenizer, int64_t window, int64_t stride,
                          tenon_status status) {
    return refused_dataset("tenon.text",
                           {{"path", text(where)},
                            {"tokenizer", text(tokenizer)},
                            {"window", whole(window)},
                            {"stride", whole(stride)}},
                           status);
  };
  EXPECT_THAT(refuse("byte", 0, 1, TENON_E_ATTRIBUTE), HasSubstr("window is out of range"));
  EXPECT_THAT(refuse("byte", 1, -1, TENON_E_ATTRIBUTE), HasSubstr("stride is out of range"));
  EXPECT_THAT(refuse("char", 1, 1, TENON_E_DATA),
              StartsWith("tenon.text: text file '" + where + "': it cannot be encoded\n"));
  EXPECT_EQ(cause(), "tenon.characters: the text is not UTF-8 from byte 3 on");
  EXPECT_THAT(refuse(path("absent.pairs"), 1, 1, TENON_E_IO), HasSubstr("No such file"));
  EXPECT_THAT(refuse(where, 1, 1, TENON_E_NOT_FOUND),
              HasSubstr("no tokenizer is for files named as '" + where + "'\n"));
  const std::string cut = write("cut.pairs", "tenon-pairs 1\n97");
  EXPECT_THAT(refuse(cut, 1, 1, TENON_E_DATA),
              HasSubstr("file '" + cut + "': tenon.pairs: line 2: the file is cut off"));
  const std::string characters = write("a.characters", "tenon-characters 1\n97\n98\n");
  const std::string more = write("more", "abc");
  EXPECT_THAT(
      refused_dataset("tenon.text",
                      {{"path", text(more)}, {"tokenizer", text(characters)}, {"window", whole(1)}},
                      TENON_E_DATA),
      StartsWith("tenon.text: text file '" + more + "': it cannot be encoded\n"));
  EXPECT_THAT(cause(), HasSubstr("the character 99 at byte 2 is not a token of this tokenizer"));
}

// 1,000 merges of 1 MB, and back. TENON_DATA names the folder with the text.
TEST_F(TextSet, TinyShakespeareThereAndBack) {
  const char* const data = std::getenv("TENON_DATA");
  std::ifstream file(std::string(data ? data : "") + "/tinyshakespeare.txt", std::ios::binary);
  if (!data || !file) GTEST_SKIP() << "TENON_DATA holds no tinyshakespeare.txt";
  const std::string whole_text((std::istreambuf_iterator<char>(file)), {});
  const Tokenizer made =
      tokenizer("tenon.pairs", {{"text", text(whole_text)}, {"vocabulary", whole(1256)}});
  EXPECT_EQ(info(made).size, 1256);
  const std::string saved = file_of(made, "a.pairs");
  const Tokenizer read = loaded(path("a.pairs"));
  EXPECT_EQ(file_of(read, "again"), saved);
  const Tokens tokens = encode(read, whole_text);
  EXPECT_LT(tokens.size(), whole_text.size() / 2);
  EXPECT_EQ(decode(read, tokens), whole_text);
}

}  // namespace
}  // namespace tenon::tests
