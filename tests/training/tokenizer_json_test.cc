// SPDX-License-Identifier: Apache-2.0
// tests/training/tokenizer_json_test.cc: tokenizer.json and vocab.txt: the words in which files and
// texts are refused, and texts that are long in one way. Values are held against the package
// `tokenizers` in tests/outside.
#include "tests/training/tokenizer_json_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(TokenizerJsonFiles, SpecialAndAddedTokens) {
  const Tokenizer tokenizer = made(small());
  EXPECT_THAT(encoded(tokenizer, "abab ab"), ElementsAre(3, 2));
  EXPECT_THAT(encoded(tokenizer, "xyzab", kAdd), ElementsAre(5, 4, 2));
  EXPECT_THAT(encoded(tokenizer, "a<s>b", kRead), ElementsAre(0, 5, 1));
  EXPECT_THAT(encoded(tokenizer, "a<s>b"), ElementsAre(0, 4, 1));
  EXPECT_THAT(encoded(tokenizer, "ba bab ba"), ElementsAre(6, 1, 2, 6));
  // A joiner is of the word.
  EXPECT_THAT(encoded(tokenizer, "ba\xE2\x80\x8D"), ElementsAre(1, 0, 4));
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
  EXPECT_THAT(refused_file("{\"model\": x", TENON_E_DATA),
              StartsWith(us + "it is not JSON from byte 11 on"));
  EXPECT_THAT(refused_file("[]", TENON_E_DATA), HasSubstr("but JSON of another kind"));
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
  EXPECT_THAT(changed("/model/type", "Magic", TENON_E_UNSUPPORTED),
              StartsWith(us + "model.type: 'Magic' is not offered here"));
  EXPECT_THAT(changed("/normalizer", {{"type", "Magic"}}, TENON_E_UNSUPPORTED),
              StartsWith(us + "normalizer.type: 'Magic' is not offered here"));
  EXPECT_THAT(changed("/pre_tokenizer", {{"type", "Magic"}}, TENON_E_UNSUPPORTED),
              HasSubstr("one of: BertPreTokenizer ByteLevel CharDelimiterSplit Digits FixedLength "
                        "Metaspace Punctuation Sequence Split UnicodeScripts Whitespace "
                        "WhitespaceSplit"));
  EXPECT_THAT(changed("/decoder", {{"type", "Magic"}}, TENON_E_UNSUPPORTED),
              StartsWith(us + "decoder.type: 'Magic' is not offered here"));
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
  EXPECT_THAT(refused_file(std::string(1'000'000, '['), TENON_E_DATA), HasSubstr("cut off"));
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

json split_by(const char* expression, const char* behavior = "Isolated") {
  return {{"type", "Split"},
          {"pattern", {{"Regex", expression}}},
          {"behavior", behavior},
          {"invert", false}};
}

// What other engines mean otherwise by the same expression: {1,3}+ repeats, && intersects, (?m) is
// for '.', a match of nothing cuts, scripts are no Script_Extensions, \h is a hexadecimal digit.
TEST_F(TokenizerJsonFiles, ExpressionsAreOnigurumas) {
  const auto pieces = [&](const char* expression, const std::string& words) {
    json file = small();
    file["added_tokens"] = json::array();
    file["post_processor"] = nullptr;
    file["normalizer"] = nullptr;
    file["pre_tokenizer"] = split_by(expression);
    file["model"] = {{"type", "WordLevel"}, {"vocab", {{"?", 0}}}, {"unk_token", "?"}};
    return encoded(made(file), words).size();
  };
  EXPECT_EQ(pieces(R"([0-9]{1,3}+)", "1234567"), 1u);
  EXPECT_EQ(pieces(R"([\w&&[^\d]]+)", "ab12ab"), 3u);
  EXPECT_EQ(pieces(R"(^a$)", "b\na\nb"), 3u);
  EXPECT_EQ(pieces(R"((?m:.)+)", "a\nb"), 1u);
  EXPECT_EQ(pieces("", "abc"), 3u);
  EXPECT_EQ(pieces(R"(\p{Han}+)", "\xE6\xBC\xA2\xE3\x80\x82"), 2u);  // an ideograph, its full stop
  EXPECT_EQ(pieces(R"(\h+)", "fa g"), 2u);
  EXPECT_EQ(pieces(R"(a{,2})", "aab"), 2u);
  EXPECT_EQ(pieces(R"((?i:ss))", "\xC3\x9Fx"), 2u);
  EXPECT_EQ(pieces(R"([[:punct:]]+)", "$+a"), 2u);
  EXPECT_EQ(pieces(R"(\p{Word}+)", "a\xC2\xB2"), 1u);
  EXPECT_EQ(pieces(R"([^a]+\R)", "!\na"), 2u);
}

TEST_F(TokenizerJsonFiles, HostileExpressionsEndInTime) {
  json file = small();
  Tensor out;
  const std::string words(1'000'000, 'a');
  // Without a way to be tried again, and with very many.
  for (const char* expression : {"(?>a*)b", "a*b", "(a|aa)+b"}) {
    file["pre_tokenizer"] = split_by(expression);
    EXPECT_THAT(refused(encode(made(file), words, 0, 0, out), TENON_E_DATA),
                HasSubstr("a regular expression of the file"))
        << expression;
  }
  // Of these not a way is tried again, so that no limit would end them in a long text.
  for (const char* expression :
       {"(?:(?=a*)a)*", "(?:(?=a*+b?)a)+", "((?!.*b)a){1,100000}", "(?:(?<=a*)a){3,}",
        "(?:(?=(?~b))a)*", "(?<x>(?=a*)a\\g<x>?)", "(?:a(?:b|(?=(?:aa)*)a)){4}+",
        "(?x)(?:(?=a*)a#)\n)*", "(?:(?=[])]*)a)*", "(?:(?=\\X)a)*"}) {
    file["pre_tokenizer"] = split_by(expression);
    EXPECT_THAT(refused(encode(made(file), words.substr(0, 30'000), 0, 0, out), TENON_E_DATA),
                HasSubstr("a look-around without bound in a group without bound, and the text"))
        << expression;
  }
  for (const char* expression :
       {"(?:(?=a)a)*", "(?:(?=a*)a){2}", "(?=a*)a*(?!\\S)", "(?:\\(?=a)*"}) {
    file["pre_tokenizer"] = split_by(expression);
    EXPECT_EQ(encode(made(file), std::string(20'000, 'b'), 0, 0, out), TENON_OK) << expression;
  }
}

// What a token took of the white space after it may be another one.
TEST_F(TokenizerJsonFiles, SpaceAfterATokenIsTakenOnce) {
  json file = small();
  file["pre_tokenizer"] = nullptr;
  file["model"]["vocab"] = {{"a", 0}, {"b", 1}, {"ab", 2}, {"abab", 3}, {"?", 4}};
  file["added_tokens"] = {
      {{"id", 5}, {"content", "<s>"}, {"normalized", false}, {"special", true}, {"rstrip", true}},
      {{"id", 6}, {"content", "\n\n"}, {"normalized", false}}};
  const Tokenizer tokenizer = made(file);
  EXPECT_THAT(encoded(tokenizer, "a<s>\n\nab", kRead), ElementsAre(0, 5, 6, 2));
  EXPECT_THAT(encoded(tokenizer, "a<s> ab", kRead), ElementsAre(0, 5, 2));
  file["added_tokens"][1]["lstrip"] = true;
  EXPECT_THAT(encoded(made(file), "a<s>\n\nab", kRead), ElementsAre(0, 5, 2));
}

// The spelling of a special token in a text is text, whatever the model could make of it.
TEST_F(TokenizerJsonFiles, SpelledSpecialTokensStayText) {
  const json special = {{{"id", 5}, {"content", "<s>"}, {"special", true}, {"normalized", false}},
                        {{"id", 6}, {"content", "$"}, {"special", true}, {"normalized", false}}};
  const json letters = {{"<", 0}, {"s", 1}, {">", 2}, {"?", 3}, {"<s", 4}, {"<s>", 5}, {"$", 6}};
  const json models[] = {
      {{"type", "BPE"}, {"vocab", letters}, {"merges", {"< s", "<s >"}}, {"unk_token", "?"}},
      {{"type", "BPE"},
       {"vocab", letters},
       {"merges", json::array()},
       {"unk_token", "?"},
       {"ignore_merges", true}},
      {{"type", "WordPiece"},
       {"vocab", letters},
       {"unk_token", "?"},
       {"continuing_subword_prefix", ""},
       {"max_input_chars_per_word", 100}},
      {{"type", "WordLevel"}, {"vocab", letters}, {"unk_token", "?"}}};
  for (const json& model : models) {
    json file = small();
    file["added_tokens"] = special;
    file["post_processor"] = nullptr;
    file["model"] = model;
    const Tokenizer tokenizer = made(file);
    EXPECT_THAT(encoded(tokenizer, "<s> $", kRead), ElementsAre(5, 6));
    for (const char* words : {"<s>", "$", "s<s>s", "<s><s>", "$$", "<s>$<s>", "<<s>>", "s $ s"}) {
      EXPECT_THAT(encoded(tokenizer, words), testing::Each(testing::Lt(5))) << model << words;
    }
  }
}

// A pattern sees characters: of bytes that are none, U+FFFD.
TEST_F(TokenizerJsonFiles, DecodersReplaceInCharacters) {
  json file = small();
  file["added_tokens"] = json::array();
  file["post_processor"] = nullptr;
  file["model"] = {{"type", "BPE"},
                   {"vocab", {{"\u00c3", 0}, {"\u0120", 1}, {"a", 2}}},
                   {"merges", json::array()}};
  file["decoder"] = {{"type", "Sequence"},
                     {"decoders",
                      {{{"type", "ByteLevel"}},
                       {{"type", "Replace"}, {"pattern", {{"Regex", "."}}}, {"content", "x"}}}}};
  const Tokenizer tokenizer = made(file);
  EXPECT_EQ(decoded(tokenizer, {0, 2, 0}), "xxx");
}

// `first` is the first character of the text: not what a normaliser leaves after taking that away.
TEST_F(TokenizerJsonFiles, MetaspaceFirst) {
  json file = small();
  file["added_tokens"] = json::array();
  file["post_processor"] = nullptr;
  file["model"] = {
      {"type", "WordLevel"}, {"vocab", {{"a", 0}, {"_a", 1}, {"?", 2}}}, {"unk_token", "?"}};
  file["pre_tokenizer"] = {
      {"type", "Metaspace"}, {"replacement", "_"}, {"prepend_scheme", "first"}};
  const auto token_of = [&](const json& normalizer, const char* words) {
    file["normalizer"] = normalizer;
    return encoded(made(file), words);
  };
  const json none = {{"type", "Replace"}, {"pattern", {{"String", "x"}}}, {"content", ""}};
  const json strip = {{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}};
  EXPECT_THAT(token_of(nullptr, "a"), ElementsAre(1));
  EXPECT_THAT(token_of(strip, "a "), ElementsAre(1));
  EXPECT_THAT(token_of(strip, " a"), ElementsAre(0));
  // What is put before the first character is that, and so is what stays when it goes.
  file["pre_tokenizer"] = {
      {"type", "Sequence"},
      {"pretokenizers", {{{"type", "WhitespaceSplit"}}, file["pre_tokenizer"]}}};
  EXPECT_THAT(token_of({{"type", "Prepend"}, {"prepend", " "}}, "a a"), ElementsAre(1, 0));
  EXPECT_THAT(token_of(none, "xa"), ElementsAre(0));
  // What is put for one character counts as it, and for several as the last of them.
  const json some = {{"type", "Replace"}, {"pattern", {{"Regex", "x+"}}}, {"content", "a"}};
  EXPECT_THAT(token_of(some, "x"), ElementsAre(1));
  EXPECT_THAT(token_of(some, "xx"), ElementsAre(0));
  json& steps = file["pre_tokenizer"]["pretokenizers"];
  const json words_then_first = steps;
  steps = {{{"type", "Metaspace"}, {"replacement", "-"}, {"prepend_scheme", "always"}},
           {{"type", "Digits"}},
           words_then_first[1]};
  file["model"]["vocab"]["_1"] = 3;
  EXPECT_THAT(token_of(nullptr, "1"), ElementsAre(2, 3));  // _- and _1
  steps = words_then_first;
  EXPECT_THAT(token_of({{"type", "StripAccents"}},
                       "\xCC\x81"
                       "a"),
              ElementsAre(0));
  EXPECT_THAT(token_of({{"type", "BertNormalizer"}},
                       "\xE2\x80\x8D"
                       "a"),
              ElementsAre(0));
  EXPECT_THAT(token_of({{"type", "Sequence"}, {"normalizers", {strip, {{"type", "NFC"}}}}}, " a"),
              ElementsAre(0));
}

// A model makes no token that was added beside its vocabulary, where it is not cut out.
TEST_F(TokenizerJsonFiles, AddedTokensAreNotTheModels) {
  json file = small();
  file["added_tokens"] = {
      {{"id", 5}, {"content", "<s>"}, {"normalized", false}, {"single_word", true}}};
  file["post_processor"] = nullptr;
  file["model"] = {{"type", "WordLevel"}, {"vocab", {{"a", 0}, {"?", 1}}}, {"unk_token", "?"}};
  file["pre_tokenizer"] = split_by("a", "Removed");
  EXPECT_THAT(encoded(made(file), "a<s>", kRead), ElementsAre(1));
  EXPECT_THAT(encoded(made(file), "<s>", kRead), ElementsAre(5));
}

TEST_F(TokenizerJsonFiles, FormsOfFiles) {
  json words = small();
  words["added_tokens"] = json::array();
  words["post_processor"] = nullptr;
  words["model"] = {{"vocab", {{"ab", 0}, {"<unk>", 1}}}, {"unk_token", "<unk>"}};
  EXPECT_THAT(encoded(made(words), "ab abab ab"), ElementsAre(0, 1, 0));
  words["model"] = {{"vocab", {{"ab", 0}}}};
  Tensor out;
  EXPECT_THAT(refused(encode(made(words), "b", 0, 0, out), TENON_E_DATA),
              StartsWith("tenon.tokenizer_json: 'b' is not in the vocabulary"));
  words["model"] = {{"vocab", {{"ab", 0}, {"[UNK]", 1}}}, {"max_input_chars_per_word", 9}};
  EXPECT_THAT(encoded(made(words), "ab abab"), ElementsAre(0, 1));
  words["model"] = {{"vocab", json::array({json::array({"a", 0.5}), json::array({"b", 0.5})})}};
  EXPECT_THAT(encoded(made(words), "ab"), ElementsAre(0, 1));

  json pairs = small();
  pairs["model"]["dropout"] = 0.0;
  pairs["model"]["merges"] = {"#version: 0.2", "a b", "ab ab"};
  pairs["added_tokens"].push_back(pairs["added_tokens"][0]);
  EXPECT_THAT(encoded(made(pairs), "abab <s>", kRead), ElementsAre(3, 5));
  // A token that is listed twice is special if one of them says so.
  words["model"] = {{"vocab", {{"a", 0}, {"?", 1}, {"<s>", 2}}}, {"unk_token", "?"}};
  const auto listed = [](bool special) {
    return json{{"id", 2}, {"content", "<s>"}, {"special", special}, {"normalized", false}};
  };
  words["added_tokens"] = {listed(false), listed(true)};
  EXPECT_THAT(encoded(made(words), "a <s>"), ElementsAre(0, 1));
  // An unknown token that was added beside the vocabulary is one.
  words["model"] = {{"vocab", {{"a", 0}, {"b", 1}}}, {"unk_token", "<s>"}};
  words["added_tokens"] = {listed(true)};
  const Tokenizer tokenizer = made(words);
  EXPECT_THAT(encoded(tokenizer, "a x"), ElementsAre(0, 2));
  tenon_tokenizer_info info{};
  info.struct_size = sizeof info;
  must(tenon_tokenizer_get_info(context, tokenizer.get(), &info));
  EXPECT_EQ(info.unknown, 2);
}

}  // namespace
}  // namespace tenon::tests
