// SPDX-License-Identifier: Apache-2.0
// tests/training/text_test.cc: windows of tokens, tokenizers, and the words in which texts and
// tokenizer files are refused.
#include <gmock/gmock.h>
#include <tenon/sdk/plugin/tokenizer_train.hpp>

#include <cstdlib>
#include <fstream>

#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

using namespace std::string_literals;
using sdk::Token;
using sdk::Tokenizer;
using sdk::TokenPair;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string words_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const sdk::Failure& failure) {
    EXPECT_EQ(failure.status, TENON_E_DATA);
    return failure.what;
  }
  return "nothing was refused";
}

TEST(Tokenizers, MergesInTheOrderTheyWereLearnt) {
  const Tokenizer pairs = Tokenizer::pairs({{'a', 'b'}, {256, 'c'}, {'b', 'c'}, {'a', 'a'}});
  EXPECT_EQ(pairs.size(), 260);
  EXPECT_THAT(pairs.encode("abc"), ElementsAre(257));
  EXPECT_THAT(pairs.encode("bcabab"), ElementsAre(258, 256, 256));
  EXPECT_THAT(pairs.encode("aaab"), ElementsAre(259, 256));
  EXPECT_THAT(pairs.encode("aaaa a"), ElementsAre(259, 259, ' ', 'a'));
  EXPECT_EQ(pairs.decode(std::vector<Token>{257, ' ', 258}), "abc bc");
  EXPECT_EQ(words_of([&] { pairs.decode(std::vector<Token>{260}); }),
            "this is not a token: expected 0 to 259, found 260");
  EXPECT_EQ(words_of([&] { pairs.decode(std::vector<Token>{-1}); }),
            "this is not a token: expected 0 to 259, found -1");
}

TEST(Tokenizers, WordsAreRunsWithTheSpaceBeforeThem) {
  std::vector<std::string> found;
  sdk::Words words("Tea, \xC3\xA9t\xC3\xA9 1984  two\n\nlines ");
  for (auto word = words.next(); !word.empty(); word = words.next()) found.emplace_back(word);
  EXPECT_THAT(found, ElementsAre("Tea", ",", " \xC3\xA9t\xC3\xA9", " 1984", " ", " two", "\n", "\n",
                                 "lines", " "));
  const std::string longest(1000, 'x');
  EXPECT_EQ(sdk::Words(longest).next().size(), sdk::kLongestWord);
}

// "ab" stands 5 times, " ab" twice; (a,b) first, then of the equal (32,256) and (256,c) the lower.
TEST(Tokenizers, TheMostFrequentPairFirstAndOfEqualsTheLower) {
  EXPECT_THAT(sdk::PairTrainer("ab ab ab\nabc\nabc").train(300),
              ElementsAre(TokenPair{'a', 'b'}, TokenPair{' ', 256}, TokenPair{256, 'c'}));
  EXPECT_THAT(sdk::PairTrainer("ab ab ab\nabc\nabc").train(257), ElementsAre(TokenPair{'a', 'b'}));
  EXPECT_TRUE(sdk::PairTrainer("abcdef").train(300).empty());
  EXPECT_TRUE(sdk::PairTrainer("").train(300).empty());
}

// Counting everything anew before each merge gives the same.
TEST(Tokenizers, TrainingAgreesWithPlainCounting) {
  std::string text;
  uint32_t state = 7;
  for (int i = 0; i < 3000; ++i) {
    state = state * 1664525u + 1013904223u;
    text += "aabc d\n"[(state >> 16) % 7];
  }
  std::vector<std::vector<Token>> words;
  sdk::Words all(text);
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
      sdk::merge_pair(word, best->first, 256 + static_cast<Token>(expected.size()));
    }
    expected.push_back(best->first);
  }
  EXPECT_EQ(sdk::PairTrainer(text).train(316), expected);
}

TEST(Tokenizers, CharactersOfUtf8) {
  const std::string text =
      "z\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"
      "a";
  const Tokenizer characters = Tokenizer::characters(text);
  const auto tokens = characters.encode(text);
  EXPECT_THAT(tokens, ElementsAre(1, 2, 3, 4, 0));
  EXPECT_EQ(characters.decode(tokens), text);
  EXPECT_EQ(characters.file_text(), "tenon-characters 1\n97\n122\n233\n8364\n128512\n");
  EXPECT_EQ(Tokenizer::parse(characters.file_text()).encode(text), tokens);
  const std::string none = Tokenizer::characters("").file_text();
  EXPECT_EQ(none, "tenon-characters 1\n");
  EXPECT_EQ(Tokenizer::parse(none).file_text(), none);
  EXPECT_THAT(words_of([&] { characters.encode("ab"); }),
              HasSubstr("the character 98 at byte 1 is not a token"));
  for (const std::string& wrong :
       {"\x80"s, "\xC3"s, "\xC3("s, "\xC0\x80"s, "\xE0\x80\x80"s, "\xED\xA0\x80"s,
        "\xF4\x90\x80\x80"s, "\xFF"s, "\xF0\x80\x80\x80"s}) {
    EXPECT_EQ(words_of([&] { Tokenizer::characters("ok" + wrong); }),
              "the text is not UTF-8 from byte 2 on");
  }
}

TEST(Tokenizers, DamagedFilesAreRefused) {
  const auto refuse = [](const std::string& file) {
    return words_of([&] { Tokenizer::parse(file); });
  };
  EXPECT_EQ(refuse(""), "line 1: the file is cut off: expected a line that ends in a line feed");
  EXPECT_EQ(refuse("tenon-pairs 2\n"),
            "line 1: it is not a tokenizer: expected 'tenon-pairs 1' or 'tenon-characters 1'");
  EXPECT_EQ(
      refuse("tenon-pairs 1\n97 98\n97 257\n"),
      "line 3: this is not a merge: expected two tokens from 0 to 256 with one space between");
  for (const char* row : {"", "97", "97 ", "97  98", "97 98 ", "-1 98", "+1 98", "a b", "97,98",
                          "99999999999 1", "97 98\r", "097 98", "97 -0"}) {
    EXPECT_THAT(refuse("tenon-pairs 1\n" + std::string(row) + "\n"),
                StartsWith("line 2: this is not a merge"));
  }
  EXPECT_EQ(refuse("tenon-pairs 1\n1 2\n1 2\n"),
            "line 3: the pair is merged already: expected another pair");
  EXPECT_EQ(refuse("tenon-pairs 1\n1 2"),
            "line 2: the file is cut off: expected a line that ends in a line feed");
  std::string doubling = "tenon-pairs 1\n0 0\n";
  for (int k = 256; k < 264; ++k) doubling += std::to_string(k) + " " + std::to_string(k) + "\n";
  EXPECT_EQ(refuse(doubling), "line 10: the token is too long: expected at most 256 bytes");
  for (const char* row :
       {"98\n97\n", "97\n97\n", "-1\n", "55296\n", "1114112\n", "x\n", "97 \n", "097\n"}) {
    EXPECT_THAT(refuse("tenon-characters 1\n" + std::string(row)),
                HasSubstr("this is not a character: expected the number of a code point above the "
                          "line before"));
  }
}

class TextSet : public Training {
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
  const std::string file = write("pairs", "tenon-pairs 1\n97 98\n256 99\n");
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
  EXPECT_THAT(
      refuse("char", 1, 1, TENON_E_DATA),
      StartsWith("tenon.text: text file '" + where + "': the text is not UTF-8 from byte 3 on"));
  EXPECT_THAT(refuse(path("absent"), 1, 1, TENON_E_IO), HasSubstr("No such file"));
  const std::string cut = write("cut", "tenon-pairs 1\n97");
  EXPECT_THAT(refuse(cut, 1, 1, TENON_E_DATA),
              StartsWith("tenon.text: tokenizer file '" + cut + "': line 2: the file is cut off"));
  const std::string characters = write("characters", "tenon-characters 1\n97\n98\n");
  const std::string more = write("more", "abc");
  EXPECT_THAT(
      refused_dataset("tenon.text",
                      {{"path", text(more)}, {"tokenizer", text(characters)}, {"window", whole(1)}},
                      TENON_E_DATA),
      HasSubstr("the character 99 at byte 2 is not a token of this tokenizer"));
}

// 1,000 merges of 1 MB, and back. TENON_DATA names the folder with the text.
TEST_F(TextSet, TinyShakespeareThereAndBack) {
  const char* const data = std::getenv("TENON_DATA");
  std::ifstream file(std::string(data ? data : "") + "/tinyshakespeare.txt", std::ios::binary);
  if (!data || !file) GTEST_SKIP() << "TENON_DATA holds no tinyshakespeare.txt";
  const std::string whole_text((std::istreambuf_iterator<char>(file)), {});
  const Tokenizer made = Tokenizer::pairs(sdk::PairTrainer(whole_text).train(1256));
  EXPECT_EQ(made.size(), 1256);
  const Tokenizer read = Tokenizer::parse(made.file_text());
  EXPECT_EQ(read.file_text(), made.file_text());
  const auto tokens = read.encode(whole_text);
  EXPECT_LT(tokens.size(), whole_text.size() / 2);
  EXPECT_EQ(read.decode(tokens), whole_text);
}

}  // namespace
}  // namespace tenon::tests
