// SPDX-License-Identifier: Apache-2.0
// tests/sentencepiece/sentencepiece_test.cc: models that the package `sentencepiece` trained
// (make_models.py), encoded and decoded as it does; special tokens, limits, spellings.
#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <thread>

#include "tests/sentencepiece/sentencepiece_support.h"

namespace tenon::tests {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr uint32_t kAdd = TENON_TOKENIZER_ADD_SPECIAL;
constexpr uint32_t kRead = TENON_TOKENIZER_READ_SPECIAL;

struct Row {
  const char* model;
  std::string text;
  Tokens tokens;
  std::string back;
};

std::vector<Row> rows() {
  return {
      {"unigram",
       "the day, the night",
       {18, 7, 33, 10, 17, 25, 18, 7, 6, 24, 14, 16, 11, 13},
       "the day, the night"},
      {"unigram", " two  spaces ", {32, 58, 8, 78, 77, 10, 23, 7, 19}, "two spaces"},
      {"unigram",
       "\xEF\xAC\x81ne \xEF\xBC\xA1\xEF\xBC\xA2",
       {6, 38, 28, 7, 6, 62, 0},
       "fine A \xE2\x81\x87 "},
      {"unigram", "a\0b"s, {20, 0, 27}, "a \xE2\x81\x87 b"},
      {"bpe", "the day, the night", {272, 269, 290, 359, 272, 323, 347, 337}, "the day, the night"},
      {"bpe",
       "x \xE2\x98\x83\xE2\x98\x83 y",
       {339, 123, 339, 229, 155, 134, 229, 155, 134, 325},
       "x \xE2\x98\x83\xE2\x98\x83 y"},
      {"bpe", "a\0b"s, {260, 3, 360}, "a\0b"s},
      {"char",
       "the day, the night",
       {3, 6, 14, 4, 3, 13, 5, 22, 23, 3, 6, 14, 4, 3, 10, 11, 17, 14, 6},
       "the day, the night"},
      {"word", "the day, the night", {3, 0, 3, 0}, "the \xE2\x81\x87  the \xE2\x81\x87 "}};
}

TEST_F(SentencePiece, EncodesAndDecodesAsThePackage) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(std::string(row.model) + ": " + row.text);
    const Tokenizer made = session->made(model(row.model));
    EXPECT_EQ(session->encoded(made, row.text), row.tokens);
    EXPECT_EQ(session->decoded(made, row.tokens), row.back);
    EXPECT_EQ(session->encoded(made, ""), Tokens());
    EXPECT_EQ(session->decoded(made, {}), "");
  }
}

TEST_F(SentencePiece, SaysWhatTheModelHas) {
  const tenon_tokenizer_info unigram = session->info(session->made(model("unigram")));
  EXPECT_EQ(unigram.size, 79);
  EXPECT_EQ(unigram.unknown, 0);
  EXPECT_EQ(unigram.begin, 1);
  EXPECT_EQ(unigram.end, 2);
  EXPECT_EQ(unigram.pad, 3);
  EXPECT_EQ(session->info(session->made(model("bpe"))).pad, -1);
  const tenon_tokenizer_info bare =
      session->info(session->made(piece("<unk>", 2) + piece("a") + piece("<s>", 4)));
  EXPECT_EQ(bare.begin, -1);
  EXPECT_EQ(bare.end, -1);
}

TEST_F(SentencePiece, AddsBeginAndEndAroundTheText) {
  const Tokenizer made = session->made(model("unigram"));
  EXPECT_THAT(session->encoded(made, "in", kAdd), ElementsAre(1, 6, 28, 2));
  EXPECT_THAT(session->encoded(made, "", kAdd), ElementsAre(1, 2));
  const Tokenizer bare = session->made(piece("<unk>", 2) + piece("a") + piece("\xE2\x96\x81"));
  EXPECT_THAT(session->encoded(bare, "a", kAdd), ElementsAre(2, 1));
}

TEST_F(SentencePiece, ALimitLeavesOutTheTextsEnd) {
  const Tokenizer made = session->made(model("unigram"));
  EXPECT_THAT(session->encoded(made, "the day", 0, 3), ElementsAre(18, 7, 33));
  EXPECT_THAT(session->encoded(made, "the day", kAdd, 4), ElementsAre(1, 18, 7, 2));
  EXPECT_THAT(session->encoded(made, "the day", kAdd, 2), ElementsAre(1, 2));
  Tokens none;
  EXPECT_THAT(session->refused(session->encode(made, "the day", kAdd, 1, none), TENON_E_ARGUMENT),
              HasSubstr("the limit leaves no room for the special tokens"));
  EXPECT_THAT(session->encoded(made, "in", kAdd, 100), ElementsAre(1, 6, 28, 2));
}

TEST_F(SentencePiece, ReadsControlSymbolsOnlyWhenAsked) {
  const Tokenizer made = session->made(model("unigram"));
  const std::string text = "<user>in<s>the</s>";
  EXPECT_THAT(session->encoded(made, text), ElementsAre(6, 5, 28, 0, 19, 0, 13, 11, 7, 0, 19, 0));
  EXPECT_THAT(session->encoded(made, text, kRead), ElementsAre(6, 5, 28, 1, 18, 7, 2));
  EXPECT_THAT(session->encoded(made, "<ctl><pad><s", kRead).front(), 4);
  EXPECT_THAT(session->encoded(made, "in", kRead), ElementsAre(6, 28));
  // The longest one.
  const Tokenizer nested = session->made(small_pieces() + piece("<s>a", 3));
  EXPECT_THAT(session->encoded(nested, "<s>a<s>", kRead), ElementsAre(5, 1));
}

TEST_F(SentencePiece, SkipsControlSymbolsBeforeItDecodes) {
  const Tokenizer made = session->made(model("bpe"));
  const Tokens cut = {1, 229, 155, 2, 134, 2};  // a character's bytes, with </s> in between
  const std::string damaged = "\xEF\xBF\xBD";
  EXPECT_EQ(session->decoded(made, cut), damaged + damaged + damaged);
  EXPECT_EQ(session->decoded(made, cut, TENON_TOKENIZER_SKIP_SPECIAL), "\xE2\x98\x83");
  // What is unknown stands for some text.
  EXPECT_EQ(session->decoded(made, {0}, TENON_TOKENIZER_SKIP_SPECIAL), " \xE2\x81\x87 ");
}

TEST_F(SentencePiece, FindsSpellingsAndNothingElse) {
  for (const char* name : {"unigram", "bpe", "char", "word"}) {
    SCOPED_TRACE(name);
    const Tokenizer made = session->made(model(name));
    const int64_t size = session->info(made).size;
    for (int64_t token = 0; token < size; ++token) {
      tenon_text* text = nullptr;
      uint32_t flags = 0;
      session->must(
          tenon_tokenizer_get_token(session->context(), made.get(), token, &text, &flags));
      const char* data = nullptr;
      uint64_t length = 0;
      session->must(tenon_text_get(text, &data, &length));
      EXPECT_EQ(session->find(made, {data, length}), token);
      EXPECT_EQ(flags,
                token == 1 || token == 2 || (name == "unigram"s && (token == 3 || token == 4))
                    ? TENON_TOKEN_SPECIAL
                    : 0);
      tenon_text_release(text);
    }
    EXPECT_EQ(session->find(made, ""), -1);
    EXPECT_EQ(session->find(made, "no such piece"), -1);
    EXPECT_EQ(session->find(made, "<unk>\0"s), -1);
  }
}

TEST_F(SentencePiece, SavesTheFileItWasMadeOf) {
  const std::string path = (std::filesystem::temp_directory_path() / "tenon_saved.model").string();
  for (const char* name : {"unigram", "bpe"}) {
    const std::string bytes = model(name);
    const Tokenizer made = session->made(bytes);
    session->must(tenon_tokenizer_save(session->context(), made.get(), path.data(), path.size()));
    tenon_tokenizer* again = nullptr;
    session->must(tenon_tokenizer_load(session->context(), path.data(), path.size(), nullptr, 0,
                                       nullptr, nullptr, 0, &again));
    const Tokenizer loaded(again);
    EXPECT_EQ(session->encoded(loaded, "the day"), session->encoded(made, "the day"));
    EXPECT_EQ(std::filesystem::file_size(path), bytes.size());
  }
  std::remove(path.c_str());
}

TEST_F(SentencePiece, RefusesATextThatTheLibraryCannotTake) {
  // The library does not count a character that is also a control symbol.
  const Tokenizer made =
      session->made(small_pieces() + piece("b", 3) + bytes_field(2, number_field(3, 4)));
  Tokens tokens;
  EXPECT_THAT(session->refused(session->encode(made, "ab", 0, 0, tokens), TENON_E_DATA),
              HasSubstr("SentencePiece: "));
  EXPECT_THAT(session->encoded(made, "aa"), ElementsAre(3, 4, 4));
}

TEST_F(SentencePiece, TakesLongTexts) {
  for (const char* name : {"unigram", "bpe", "char", "word"}) {
    SCOPED_TRACE(name);
    const Tokenizer made = session->made(model(name));
    std::string text;
    while (text.size() < 300000) text += "the day";
    const Tokens tokens = session->encoded(made, text);
    EXPECT_GE(tokens.size(), name == "word"s ? 1u : 1000u);
    if (name == "bpe"s) {
      EXPECT_EQ(session->decoded(made, tokens), text);
    }
  }
}

class SentencePieceThreads : public SentencePiece {};

TEST_F(SentencePieceThreads, EncodeTheSameAtOnce) {
  const Tokenizer unigram = session->made(model("unigram"));
  const Tokenizer bpe = session->made(model("bpe"));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const Session own(runtime);
      for (int round = 0; round < 20; ++round) {
        EXPECT_THAT(own.encoded(unigram, "in", kAdd), ElementsAre(1, 6, 28, 2));
        EXPECT_EQ(own.decoded(bpe, own.encoded(bpe, "x \xE2\x98\x83")), "x \xE2\x98\x83");
        EXPECT_EQ(own.find(bpe, "<s>"), 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tenon::tests
