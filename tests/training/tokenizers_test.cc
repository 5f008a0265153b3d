// SPDX-License-Identifier: Apache-2.0
// tests/training/tokenizers_test.cc: tokenizers through the C API: what Tenon's own give, tokens
// in tensors of every kind, and the words in which all else is refused.
#include <gmock/gmock.h>

#include <array>
#include <thread>

#include "tests/training/tokenizers_support.h"

namespace tenon::tests {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class Tokenizers : public TokenizerTest {};

// ---- Tenon's own --------------------------------------------------------------------------------

TEST_F(Tokenizers, Bytes) {
  const Tokenizer bytes = tokenizer("tenon.bytes");
  EXPECT_EQ(info(bytes).size, 256);
  EXPECT_EQ(info(bytes).pad, -1);
  const std::string all = "Az\0\xFF\xC3\n"s;
  EXPECT_THAT(encode(bytes, all), ElementsAre('A', 'z', 0, 255, 0xC3, '\n'));
  EXPECT_EQ(decode(bytes, encode(bytes, all)), all);
  EXPECT_EQ(spelling(bytes, 255), "\xFF");
  EXPECT_EQ(find(bytes, "\xFF"), 255);
  EXPECT_EQ(find(bytes, "\0"s), 0);
  EXPECT_THAT(refused_tokenizer("tenon.bytes", {}, "", TENON_E_ATTRIBUTE),
              StartsWith("tenon.bytes: it is not made of a file, but one was given\n"));
  const std::string where = path("bytes");
  EXPECT_THAT(refused(tenon_tokenizer_save(context, bytes.get(), where.data(), where.size()),
                      TENON_E_UNSUPPORTED),
              StartsWith("tenon.bytes writes no files\ntenon.bytes\ntokenizer\n\n\n\nkeep the file "
                         "it was made of"));
  EXPECT_FALSE(std::filesystem::exists(where));
}

TEST_F(Tokenizers, CharactersOfUtf8) {
  const std::string all =
      "z\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"
      "a";
  const Tokenizer made = characters(all);
  const Tokens tokens = encode(made, all);
  EXPECT_THAT(tokens, ElementsAre(1, 2, 3, 4, 0));
  EXPECT_EQ(decode(made, tokens), all);
  EXPECT_EQ(file_of(made, "a.characters"), "tenon-characters 1\n97\n122\n233\n8364\n128512\n");
  EXPECT_EQ(encode(loaded(path("a.characters")), all), tokens);
  const Tokenizer none = characters("");
  EXPECT_EQ(info(none).size, 0);
  EXPECT_EQ(file_of(none, "none.characters"), "tenon-characters 1\n");
  EXPECT_EQ(file_of(loaded(path("none.characters")), "again"), "tenon-characters 1\n");
  EXPECT_THAT(encode(none, ""), IsEmpty());
  EXPECT_THAT(refused_text(made, "ab", 0, 0, TENON_E_DATA),
              StartsWith("tenon.characters: the character 98 at byte 1 is not a token"));
  EXPECT_THAT(encode(made, "ab", 0, 1), ElementsAre(0)) << "what is left out is not looked at";
  for (const std::string& wrong :
       {"\x80"s, "\xC3"s, "\xC3("s, "\xC0\x80"s, "\xE0\x80\x80"s, "\xED\xA0\x80"s,
        "\xF4\x90\x80\x80"s, "\xFF"s, "\xF0\x80\x80\x80"s}) {
    EXPECT_THAT(
        refused_tokenizer("tenon.characters", {{"text", text("ok" + wrong)}}, {}, TENON_E_DATA),
        StartsWith("tenon.characters: the text is not UTF-8 from byte 2 on\n"));
    EXPECT_THAT(refused_text(made, "a" + wrong, 0, 0, TENON_E_DATA),
                StartsWith("tenon.characters: the text is not UTF-8 from byte 1 on\n"));
  }
}

TEST_F(Tokenizers, PairsThatWereLearnt) {
  const std::string all = "ab ab ab\nabc\nabc";
  const Tokenizer made =
      tokenizer("tenon.pairs", {{"text", text(all)}, {"vocabulary", whole(258)}});
  EXPECT_EQ(info(made).size, 258);
  EXPECT_EQ(file_of(made, "a.pairs"), "tenon-pairs 1\n97 98\n32 256\n");
  const Tokenizer read = loaded(path("a.pairs"));
  EXPECT_THAT(encode(read, all), ElementsAre(256, 257, 257, 10, 256, 99, 10, 256, 99));
  EXPECT_EQ(encode(made, all), encode(read, all));
  EXPECT_EQ(decode(read, encode(read, all)), all);
  EXPECT_EQ(spelling(read, 257), " ab");
  EXPECT_EQ(find(read, " ab"), 257);
  EXPECT_THAT(encode(read, all, 0, 2), ElementsAre(256, 257));
  EXPECT_EQ(file_of(tokenizer("tenon.pairs", {{"text", text("")}}), "none"), "tenon-pairs 1\n");
  for (const int64_t vocabulary : {255, 1 << 21}) {
    EXPECT_THAT(
        refused_tokenizer("tenon.pairs", {{"text", text(all)}, {"vocabulary", whole(vocabulary)}},
                          {}, TENON_E_ATTRIBUTE),
        HasSubstr("vocabulary is out of range\ntenon.pairs\nvocabulary\n256 to 1048576\n" +
                  std::to_string(vocabulary)));
  }
}

TEST_F(Tokenizers, AFileOrATextButNotBoth) {
  for (const char* name : {"tenon.pairs", "tenon.characters"}) {
    EXPECT_THAT(refused_tokenizer(name, {}, {}, TENON_E_ATTRIBUTE),
                StartsWith(name + ": there is neither a file nor a text that it is made of"s));
    EXPECT_THAT(refused_tokenizer(name, {{"text", text("a")}}, "", TENON_E_ATTRIBUTE),
                StartsWith(name + ": there are a file and a text, but it is made of one"s));
  }
}

TEST_F(Tokenizers, DamagedFilesAreRefused) {
  const auto refuse = [&](const std::string& file) {
    const std::string name = file.starts_with("tenon-c") ? "tenon.characters" : "tenon.pairs";
    const std::string words = refused_tokenizer(name, {}, file, TENON_E_DATA);
    EXPECT_THAT(words, HasSubstr("\nmake the file again with `tenon tokenizer train`\n"));
    return words.substr(name.size() + 2, words.find('\n') - name.size() - 2);
  };
  EXPECT_EQ(refuse(""), "line 1: the file is cut off: expected a line that ends in a line feed");
  EXPECT_EQ(refuse("tenon-pairs 2\n"),
            "line 1: it is not such a tokenizer: expected 'tenon-pairs 1'");
  EXPECT_EQ(refuse("tenon-characters 2\n"),
            "line 1: it is not such a tokenizer: expected 'tenon-characters 1'");
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

// ---- Files by their names -----------------------------------------------------------------------

TEST_F(Tokenizers, FilesAreKnownByTheEndingsOfTheirNames) {
  const std::string file = write("a.pairs", "tenon-pairs 1\n97 98\n");
  EXPECT_EQ(info(loaded(file)).size, 257);
  const std::string plain = write("plain", "tenon-pairs 1\n97 98\n");
  EXPECT_EQ(info(loaded(plain, "tenon.pairs")).size, 257);
  EXPECT_THAT(refused_file(plain, nullptr, TENON_E_NOT_FOUND),
              StartsWith("no tokenizer is for files named as '" + plain + "'\n\npath\none of: "));
  EXPECT_THAT(refused_file(plain, nullptr, TENON_E_NOT_FOUND), HasSubstr(".pairs"));
  EXPECT_THAT(refused_file(plain, nullptr, TENON_E_NOT_FOUND),
              HasSubstr("\nname the tokenizer, for example tenon.pairs\n"));
  EXPECT_THAT(refused_file(file, "tenon.characters", TENON_E_DATA),
              StartsWith("file '" + file + "': tenon.characters: line 1: it is not such a"));
  EXPECT_THAT(refused_file(file, "acme.nothing", TENON_E_NOT_FOUND), HasSubstr("acme.nothing"));
  EXPECT_THAT(refused_file(path("absent.pairs"), nullptr, TENON_E_IO), HasSubstr("No such file"));
  EXPECT_THAT(refused_file(folder.string(), "tenon.pairs", TENON_E_IO),
              HasSubstr("it is a folder, not a file"));
  const std::string empty = write("empty.pairs", "");
  EXPECT_THAT(refused_file(empty, nullptr, TENON_E_DATA),
              StartsWith("file '" + empty + "': tenon.pairs: line 1: the file is cut off"));
  const std::string none = write("none.letters", "");
  EXPECT_THAT(refused_file(none, nullptr, TENON_E_ATTRIBUTE), HasSubstr("not made of a file"));
}

TEST_F(Tokenizers, AFileIsWrittenAllAtOnce) {
  const Tokenizer made = characters("ab");
  const std::string where = write("there.characters", "what was there");
  EXPECT_EQ(file_of(made, "there.characters"), "tenon-characters 1\n97\n98\n");
  const std::string nowhere = path("no/folder");
  EXPECT_THAT(refused(tenon_tokenizer_save(context, made.get(), nowhere.data(), nowhere.size()),
                      TENON_E_IO),
              HasSubstr(nowhere));
}

// A zero byte would end a text of C.
TEST_F(Tokenizers, MessagesDoNotEndAtAZeroByte) {
  const Tokenizer made = letters("zero bytes");
  int64_t token = 0;
  EXPECT_EQ(refused(tenon_tokenizer_find_token(context, made.get(), "a\0b", 3, &token),
                    TENON_E_NOT_FOUND),
            "acme.letters: no token is spelt 'a\\x00b'\nacme.letters\nspelling\n\na\\x00b\n\n\n");
  EXPECT_EQ(refused_text(made, "a", 0, 0, TENON_E_DATA),
            "acme.letters: a\\x00b\nacme.letters\nc\\x00d\ne\\x00\n\\x00f\nacme.letters\n\\x00\n");
  EXPECT_THAT(refused_tokenizer("acme.\0letters"s, {}, {}, TENON_E_NOT_FOUND),
              StartsWith("tokenizer \"acme.\\x00letters\" is not available"));
  EXPECT_THAT(refused_tokenizer("acme.letters", {{"fau\0lt"s, text("")}}, {}, TENON_E_ATTRIBUTE),
              StartsWith("acme.letters: option \"fau\\x00lt\" is unknown"));
  must(tenon_scope_begin(context, "a\0b", 3));
  refused_tokenizer("acme.nothing", {}, {}, TENON_E_NOT_FOUND);
  tenon_error error{};
  error.struct_size = sizeof error;
  must(tenon_context_get_error(context, &error));
  EXPECT_STREQ(error.scope, "a\\x00b");
  must(tenon_scope_end(context));
}

// What is refused before there is a context.
TEST_F(Tokenizers, WordsOfARuntimeDoNotEndAtAZeroByte) {
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.policy = TENON_POLICY_ALLOWLIST;
  options.allowlist = {"/no\0where", 9};
  tenon_runtime* none = nullptr;
  tenon_diag diag{};
  EXPECT_NE(tenon_runtime_create(&options, &diag, &none), TENON_OK);
  EXPECT_THAT(diag.message, HasSubstr("/no\\x00where"));
}

// ---- Special tokens, limits and numbers ---------------------------------------------------------

TEST_F(Tokenizers, SpecialTokensAreAddedReadAndSkipped) {
  const Tokenizer made = letters();
  const tenon_tokenizer_info found = info(made);
  EXPECT_EQ(found.size, 30);
  EXPECT_THAT((std::array{found.pad, found.begin, found.end, found.unknown}),
              ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(encode(made, "ab"), ElementsAre(4, 5));
  EXPECT_THAT(encode(made, "ab", TENON_TOKENIZER_ADD_SPECIAL), ElementsAre(1, 4, 5, 2));
  EXPECT_THAT(encode(made, "abc", TENON_TOKENIZER_ADD_SPECIAL, 4), ElementsAre(1, 4, 5, 2));
  EXPECT_THAT(encode(made, "abc", 0, 2), ElementsAre(4, 5));
  EXPECT_THAT(encode(made, "[end]"), ElementsAre(3, 8, 17, 7, 3));
  EXPECT_THAT(encode(made, "a[end]", TENON_TOKENIZER_READ_SPECIAL), ElementsAre(4, 2));
  EXPECT_EQ(decode(made, {1, 4, 5, 2}), "[begin]ab[end]");
  EXPECT_EQ(decode(made, {1, 4, 5, 2}, TENON_TOKENIZER_SKIP_SPECIAL), "ab");
  EXPECT_EQ(decode(made, {}), "");
  uint32_t flags = 7;
  EXPECT_EQ(spelling(made, 4, &flags), "a");
  EXPECT_EQ(flags, 0u);
  EXPECT_EQ(spelling(made, 2, &flags), "[end]");
  EXPECT_EQ(flags, TENON_TOKEN_SPECIAL);
  must(tenon_tokenizer_get_token(context, made.get(), 2, nullptr, nullptr));
}

TEST_F(Tokenizers, WhatIsNoTokenIsSaid) {
  const Tokenizer made = letters();
  EXPECT_EQ(refused_tokens(made, {4, 30}, TENON_E_DATA),
            "acme.letters: position 1: this is not a token: 30\nacme.letters\ntoken\n0 to 29\n30\n"
            "\n\n");
  EXPECT_THAT(refused_tokens(made, {-1}, TENON_E_DATA), HasSubstr("position 0: "));
  // No number is cut to one that fits.
  for (const int64_t large : {int64_t{1} << 32, INT64_MIN, (int64_t{1} << 32) + 4}) {
    EXPECT_THAT(refused_tokens(made, {4, 4, large}, TENON_E_DATA),
                HasSubstr("position 2: this is not a token: " + std::to_string(large) + "\n"));
  }
  for (const int64_t wrong : {int64_t{30}, int64_t{-1}, (int64_t{1} << 32) + 4}) {
    tenon_text* out = nullptr;
    EXPECT_EQ(refused(tenon_tokenizer_get_token(context, made.get(), wrong, &out, nullptr),
                      TENON_E_NOT_FOUND),
              "acme.letters: this is not a token: " + std::to_string(wrong) +
                  "\nacme.letters\ntoken\n0 to 29\n" + std::to_string(wrong) + "\n\n\n");
    EXPECT_EQ(out, nullptr);
  }
  int64_t token = 77;
  EXPECT_EQ(refused(tenon_tokenizer_find_token(context, made.get(), "\xFF?", 2, &token),
                    TENON_E_NOT_FOUND),
            "acme.letters: no token is spelt '\\xff?'\nacme.letters\nspelling\n\n\\xff?\n\n\n");
  EXPECT_EQ(token, 77);
  EXPECT_EQ(refused_tokens(characters(""), {0}, TENON_E_DATA),
            "tenon.characters: position 0: this is not a token: 0\ntenon.characters\ntoken\nnone: "
            "there are no tokens\n0\n\n\n");
}

TEST_F(Tokenizers, OptionsAreChecked) {
  EXPECT_THAT(refused_tokenizer("tenon.bytes", {{"size", whole(3)}}, {}, TENON_E_ATTRIBUTE),
              StartsWith("tenon.bytes: option \"size\" is unknown"));
  EXPECT_THAT(
      refused_tokenizer("tenon.pairs", {{"vocabulary", text("many")}}, {}, TENON_E_ATTRIBUTE),
      StartsWith("tenon.pairs: option \"vocabulary\" has the wrong type"));
}

// ---- Tokens of any tensor -----------------------------------------------------------------------

// [3 1 4 1 5] as they are, backwards, every other one, and one of them many times.
template <class T>
void expect_decoded(tenon_context* context, tenon_dtype dtype,
                    const std::function<std::string(tenon_tensor*)>& decode) {
  const std::vector<T> numbers = {'3', '1', '4', '1', '5'};
  const int64_t five = 5;
  tenon_tensor* made = nullptr;
  ASSERT_EQ(tenon_tensor_create_from(context, dtype, nullptr, 1, &five, numbers.data(),
                                     numbers.size() * sizeof(T), &made),
            TENON_OK);
  const Tensor whole_list(made);
  EXPECT_EQ(decode(made), "31415");
  struct Look {
    int64_t n, stride, offset;
    const char* text;
  };
  for (const Look& look : {Look{5, -1, 4, "51413"}, Look{3, 2, 0, "345"}, Look{4, 0, 2, "4444"},
                           Look{2, 3, 1, "15"}, Look{0, 1, 0, ""}}) {
    tenon_tensor* view = nullptr;
    ASSERT_EQ(tenon_tensor_create_view(context, whole_list.get(), 1, &look.n, &look.stride,
                                       look.offset, &view),
              TENON_OK);
    const Tensor owned(view);
    EXPECT_EQ(decode(view), look.text);
  }
}

TEST_F(Tokenizers, TokensMayBeIntegersOfAnyKindAndStride) {
  const Tokenizer bytes = tokenizer("tenon.bytes");
  const auto decoded = [&](tenon_tensor* tokens) {
    std::string text;
    must(decode(bytes, tokens, 0, text));
    return text;
  };
  expect_decoded<uint8_t>(context, TENON_DTYPE_U8, decoded);
  expect_decoded<int8_t>(context, TENON_DTYPE_I8, decoded);
  expect_decoded<int16_t>(context, TENON_DTYPE_I16, decoded);
  expect_decoded<int32_t>(context, TENON_DTYPE_I32, decoded);
  expect_decoded<int64_t>(context, TENON_DTYPE_I64, decoded);
}

TEST_F(Tokenizers, OtherTensorsAreRefused) {
  const Tokenizer bytes = tokenizer("tenon.bytes");
  const auto refuse = [&](const Tensor& tokens, tenon_status expected) {
    std::string text;
    return refused(decode(bytes, tokens.get(), 0, text), expected);
  };
  EXPECT_THAT(refuse(tensor<int64_t>({1, 2}, {1, 2}), TENON_E_SHAPE),
              StartsWith("the tokens of a text are one list\n\ntokens\n[n]\ni64[1,2]"));
  EXPECT_THAT(refuse(tensor<int64_t>({}, {1}), TENON_E_SHAPE), HasSubstr("one list"));
  EXPECT_THAT(refuse(tensor<float>({2}, {1, 2}), TENON_E_DTYPE),
              StartsWith("tokens are integers\n\ntokens\nu8, i8, i16, i32 or i64\nf32[2]"));
}

TEST_F(Tokenizers, NothingIsEncodedWhileAPlanIsCaptured) {
  const Tokenizer bytes = tokenizer("tenon.bytes");
  const Tensor tokens = tensor<int64_t>({1}, {65});
  const tenon_string one = {"a", 1};
  must(tenon_capture_begin(context, nullptr, 0));
  tenon_tensor* out = nullptr;
  tenon_text* words = nullptr;
  EXPECT_THAT(
      refused(tenon_tokenizer_call(context, bytes.get(), "a", 1, 0, 0, &out), TENON_E_CAPTURE),
      HasSubstr("encoding a text"));
  EXPECT_THAT(
      refused(tenon_tokenizer_call_batch(context, bytes.get(), &one, 1, 0, 0, -1, &out, nullptr),
              TENON_E_CAPTURE),
      HasSubstr("encoding texts"));
  EXPECT_THAT(refused(tenon_tokenizer_get_text(context, bytes.get(), tokens.get(), 0, &words),
                      TENON_E_CAPTURE),
              HasSubstr("decoding tokens"));
  tenon_plan* plan = nullptr;
  tenon_capture_end(context, &plan);
  tenon_plan_release(plan);
  EXPECT_EQ(decode(bytes, {65}), "A");
}

// ---- What a plugin says is checked before it is believed ----------------------------------------

TEST_F(Tokenizers, WhatAPluginSaysOfATokenizerMustBePossible) {
  for (const char* fault : {"end of 30", "unknown of -2", "negative size", "huge size"}) {
    EXPECT_THAT(refused_tokenizer("acme.letters", {{"fault", text(fault)}}, {}, TENON_E_PLUGIN),
                StartsWith("acme.letters: says impossible things of itself\n"))
        << fault;
  }
  EXPECT_THAT(refused_tokenizer("acme.letters", {{"fault", text("throws")}}, {}, TENON_E_PLUGIN),
              StartsWith("acme.letters: more than there is\n"));
}

TEST_F(Tokenizers, WhatAPluginGivesMustBeTokens) {
  EXPECT_THAT(refused_text(letters("token 30"), "ab", 0, 0, TENON_E_PLUGIN),
              StartsWith("acme.letters: gives 30 as a token\n"));
  EXPECT_THAT(refused_text(letters("token -1"), "ab", 0, 0, TENON_E_PLUGIN),
              StartsWith("acme.letters: gives -1 as a token\n"));
  EXPECT_THAT(refused_text(letters("beyond the limit"), "abc", 0, 2, TENON_E_PLUGIN),
              StartsWith("acme.letters: gives more tokens than were asked for\n"));
  const Tokenizer unsteady = letters("another length");
  EXPECT_THAT(refused_text(unsteady, "ab", 0, 0, TENON_E_PLUGIN),
              StartsWith("acme.letters: `encode` says another length each time\n"));
  EXPECT_THAT(refused_tokens(unsteady, {4}, TENON_E_PLUGIN),
              StartsWith("acme.letters: `decode` says another length each time\n"));
  for (const char* number : {"30", "-2"}) {
    int64_t token = 0;
    EXPECT_THAT(refused(tenon_tokenizer_find_token(context, letters("finds "s + number).get(), "a",
                                                   1, &token),
                        TENON_E_PLUGIN),
                StartsWith("acme.letters: finds "s + number + " as a token\n"));
  }
}

// ---- Threads ------------------------------------------------------------------------------------

class TokenizersThreads : public Tokenizers {};

TEST_F(TokenizersThreads, OneServesMany) {
  const std::string all = "the same text, again and again; the more often the better";
  const Tokenizer made = tokenizer("tenon.pairs", {{"text", text(all)}});
  const Tokens expected = encode(made, all);
  std::vector<std::thread> threads;
  std::array<bool, 4> same{};
  for (bool& each : same) {
    threads.emplace_back([&] {
      tenon_context* own = nullptr;
      if (tenon_context_create(runtime, nullptr, &own) != TENON_OK) return;
      each = true;
      for (int i = 0; i < 50; ++i) {
        tenon_tensor* tokens = nullptr;
        each = each && tenon_tokenizer_call(own, made.get(), all.data(), all.size(), 0, 0,
                                            &tokens) == TENON_OK;
        Tokens found(expected.size());
        each = each && tenon_tensor_get_data(own, tokens, found.data(),
                                             found.size() * sizeof(int64_t)) == TENON_OK;
        each = each && found == expected;
        tenon_tensor_release(tokens);
      }
      tenon_context_release(own);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(same, testing::Each(true));
}

}  // namespace
}  // namespace tenon::tests
