// SPDX-License-Identifier: Apache-2.0
// tests/training/special_text_test.cc: a text gives no commands. Without READ_SPECIAL no special
// token comes of it, however it is spelt: for every kind of tokenizer there is, and files of which
// the model could make such a token of a word, of merges or of a character.
//
// A new kind with special tokens fails here until files() has a row for it.
#include <gmock/gmock.h>
#include <tenon/ext/draft/tokenizers.h>
#include <tenon/sdk/plugin/sample_value.hpp>
#include <tenon/sdk/plugin/utf8.hpp>

#include <nlohmann/json.hpp>

#include "sdk/verify/kinds/special_texts.h"
#include "tests/training/tokenizers_support.h"

namespace tenon::tests {
namespace {

using namespace std::string_literals;
using nlohmann::json;
using testing::Contains;

struct SpecialFile {
  std::string kind, what;
  std::optional<std::string> file;
  std::vector<Option> options = {};
};

// ---- tokenizer.json -----------------------------------------------------------------------------

const char kMask[] = "[MASK]", kEnd[] = "</s>", kSign[] = "$", kChinese[] = "\xE6\x9D\xB1";
const char kDeepSeek[] =
    "<\xEF\xBD\x9C"
    "end\xE2\x96\x81of\xE2\x96\x81text\xEF\xBD\x9C>";
const char* const kSpecial[] = {kMask,        kEnd,          kSign,   kChinese, kDeepSeek,
                                "<|im end|>", "caf\xC3\xA9", "hello", "$</w>",  "##$"};
const char* const kUnknown = "<unk>";

// The characters that stand for bytes in byte-level vocabularies (GPT-2).
std::vector<std::string> byte_characters() {
  std::vector<std::string> characters(256);
  int32_t free = 256;
  for (int32_t byte = 0; byte < 256; ++byte) {
    const bool is_itself = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte != 0xAD);
    characters[static_cast<size_t>(byte)] = sdk::utf8_of(is_itself ? byte : free++);
  }
  return characters;
}

// A vocabulary, and merges that make each special token of its characters.
class Pairs {
 public:
  explicit Pairs(const std::vector<std::string>& characters) {
    for (const std::string& each : characters) add(each);
  }

  void add(const std::string& spelling) { vocabulary_.try_emplace(spelling, vocabulary_.size()); }

  // symbols  what a model begins with: characters, or what stands for bytes
  void add_merged(const std::vector<std::string>& symbols) {
    std::string left;
    for (const std::string& each : symbols) {
      add(each);
      if (!left.empty()) merges_.push_back({left, each});
      left += each;
      add(left);
    }
  }

  json model(json settings = json::object()) const {
    settings.update(
        {{"type", "BPE"}, {"unk_token", kUnknown}, {"vocab", vocabulary_}, {"merges", merges_}});
    return settings;
  }

 private:
  std::map<std::string, size_t> vocabulary_;
  json merges_ = json::array();
};

std::vector<std::string> characters_of(std::string_view text) {
  return verify::special_texts_detail::characters_of(text);
}

std::vector<std::string> ascii() {
  std::vector<std::string> characters = {kUnknown, "\xE2\x96\x81"};
  for (char each = '!'; each <= '~'; ++each) characters.emplace_back(1, each);
  return characters;
}

Pairs merged_characters() {
  Pairs pairs(ascii());
  for (const char* each : kSpecial) pairs.add_merged(characters_of(each));
  return pairs;
}

// Special tokens are byte-level characters only where they are ASCII.
Pairs merged_bytes() {
  const std::vector<std::string> bytes = byte_characters();
  Pairs pairs(bytes);
  pairs.add(kUnknown);
  for (const std::string special : kSpecial) {
    std::vector<std::string> symbols;
    for (const char byte : special) symbols.push_back(bytes[static_cast<unsigned char>(byte)]);
    pairs.add_merged(symbols);
    pairs.add(special);
  }
  return pairs;
}

// Words, special ones among them.
json words() {
  Pairs all(ascii());
  for (const char* each : kSpecial) all.add(each);
  return all.model().at("vocab");
}

// A whole file. Its special tokens are kSpecial, which its vocabulary has, and the unknown one.
std::string file_of(const json& model, const json& steps = json::object(),
                    const json& of_added = json::object()) {
  json file = {{"added_tokens", json::array()}, {"model", model}};
  const json numbers = model.at("vocab").is_object() ? model.at("vocab") : words();
  const auto add = [&](const std::string& content) {
    json token = {{"id", numbers.at(content)},
                  {"content", content},
                  {"special", true},
                  {"normalized", false}};
    token.update(of_added);
    file["added_tokens"].push_back(token);
  };
  for (const char* each : kSpecial) add(each);
  add(kUnknown);
  file.update(steps);
  return file.dump();
}

json sequence(const char* of, json steps) { return {{"type", "Sequence"}, {of, std::move(steps)}}; }

json replacing(const char* one, const char* other) {
  return {{"type", "Replace"}, {"pattern", {{"String", one}}}, {"content", other}};
}

// As Llama 2: a space is U+2581, the text is one word, bytes stand for other characters.
std::string bytes_file() {
  Pairs pairs = merged_characters();
  for (int byte = 0; byte < 256; ++byte) {
    pairs.add(verify::special_texts_detail::spelt_bytes(std::string(1, static_cast<char>(byte))));
  }
  const json prepend = {{"type", "Prepend"}, {"prepend", "\xE2\x96\x81"}};
  return file_of(
      pairs.model({{"byte_fallback", true}, {"fuse_unk", true}}),
      {{"normalizer", sequence("normalizers", {prepend, replacing(" ", "\xE2\x96\x81")})}});
}

// As CLIP: a word ends in </w>, so the model could make "$</w>" of a "$".
std::string suffix_file() {
  Pairs pairs = merged_characters();
  for (const std::string& each : ascii()) pairs.add(each + "</w>");
  return file_of(pairs.model({{"end_of_word_suffix", "</w>"}}),
                 {{"pre_tokenizer", {{"type", "WhitespaceSplit"}}}});
}

// With the prefix "##" the model could make "##$" of a "$".
std::string pieces_file(const char* prefix, const json& steps) {
  json vocabulary = words();
  for (const std::string& each : ascii()) vocabulary.emplace("##" + each, vocabulary.size());
  return file_of({{"type", "WordPiece"},
                  {"unk_token", kUnknown},
                  {"continuing_subword_prefix", prefix},
                  {"max_input_chars_per_word", 100},
                  {"vocab", vocabulary}},
                 steps);
}

// The best of all ways to cut a text would be its special tokens.
json unigram_model() {
  const json numbers = words();
  json pieces(numbers.size(), json::array());
  for (const auto& [spelling, number] : numbers.items()) {
    const bool is_special = std::ranges::count(kSpecial, spelling) != 0;
    pieces[number.get<size_t>()] = {spelling, is_special ? 0.0 : -4.0};
  }
  return {{"type", "Unigram"}, {"unk_id", numbers.at(kUnknown)}, {"vocab", pieces}};
}

void add_json_files(std::vector<SpecialFile>& all) {
  const auto add = [&](const char* what, std::string file) {
    all.push_back({"tenon.tokenizer_json", what, std::move(file)});
  };
  const json by_space = {{"pre_tokenizer", {{"type", "WhitespaceSplit"}}}};
  const auto byte_level = [](bool cuts) {
    return json{{"pre_tokenizer",
                 {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", cuts}}}};
  };
  add("bytes, words", file_of(merged_bytes().model(), byte_level(true)));
  add("bytes, a whole text", file_of(merged_bytes().model(), byte_level(false)));
  add("bytes, whole words",
      file_of(merged_bytes().model({{"ignore_merges", true}}), byte_level(false)));
  add("merges of a whole text", file_of(merged_characters().model()));
  add("merges of words", file_of(merged_characters().model(), by_space));
  add("whole words before merges",
      file_of(merged_characters().model({{"ignore_merges", true}}), by_space));
  add("bytes for what is unknown", bytes_file());
  add("ends of words", suffix_file());
  add("word pieces", pieces_file("##", by_space));
  add("word pieces without a prefix", pieces_file("", by_space));
  add("word pieces of a whole text", pieces_file("##", json::object()));
  const json bert = {{"normalizer", {{"type", "BertNormalizer"}}},
                     {"pre_tokenizer", {{"type", "BertPreTokenizer"}}}};
  add("word pieces as BERT", pieces_file("##", bert));

  add("unigrams", file_of(unigram_model()));
  add("unigrams of words", file_of(unigram_model(), by_space));

  const json level = {{"type", "WordLevel"}, {"unk_token", kUnknown}, {"vocab", words()}};
  add("words", file_of(level, by_space));
  add("a whole text as a word", file_of(level));
  const json changes =
      sequence("normalizers", {{{"type", "NFKD"}},
                               {{"type", "StripAccents"}},
                               {{"type", "BertNormalizer"}, {"lowercase", false}},
                               replacing("\xE2\x80\x8B", ""),
                               {{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}}});
  for (const bool normalized : {false, true}) {
    for (const char* flag : {"single_word", "lstrip", "rstrip"}) {
      const json of_added = {{"normalized", normalized}, {flag, true}};
      const std::string what = "changed texts, "s + flag + (normalized ? ", normalized" : "");
      const json steps = {{"normalizer", changes}, {"pre_tokenizer", by_space["pre_tokenizer"]}};
      add((what + ", words").c_str(), file_of(level, steps, of_added));
      add((what + ", merges").c_str(), file_of(merged_characters().model(), steps, of_added));
    }
  }
  const json lower = {
      {"normalizer", sequence("normalizers", {{{"type", "NFKC"}}, {{"type", "Lowercase"}}})}};
  add("lower case, merges", file_of(merged_characters().model(), lower));
  add("lower case, normalized",
      file_of(merged_characters().model(), lower, {{"normalized", true}}));
}

// ---- Files of other kinds -----------------------------------------------------------------------

std::string vocabulary_of_bert() {
  std::string file = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nmask\n##mask\ncls\n##[MASK]\nunk\n";
  for (char each = '!'; each <= '~'; ++each) {
    file += std::string(1, each) + "\n##" + std::string(1, each) + '\n';
  }
  return file;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view three = bytes.substr(at, 3);
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < three.size() ? static_cast<unsigned char>(three[i]) : 0);
    }
    for (size_t i = 0; i < 4; ++i)
      text += i > three.size() ? '=' : digits[bits >> (18 - 6 * i) & 63];
  }
  return text;
}

// Every byte, and whatever special tokens begin with, up to the whole of them, has a rank.
// out_special  the option `special`: spellings without a space and their numbers
std::string ranks_of_tiktoken(std::string& out_special) {
  std::map<std::string, size_t> ranks;
  for (int byte = 0; byte < 256; ++byte) {
    ranks.emplace(std::string(1, static_cast<char>(byte)), ranks.size());
  }
  for (const std::string special : {kMask, kEnd, kChinese, kDeepSeek, "hello"}) {
    for (size_t length = 1; length <= special.size(); ++length) {
      ranks.emplace(special.substr(0, length), ranks.size());
    }
    out_special +=
        (out_special.empty() ? "" : " ") + special + '=' + std::to_string(ranks.at(special));
  }
  std::string file;
  for (const auto& [bytes, rank] : ranks) {
    file += base64(bytes) + ' ' + std::to_string(rank) + '\n';
  }
  return file;
}

// A model of SentencePiece: protocol buffers with short lengths.
std::string bytes_field(int number, std::string_view bytes) {
  return static_cast<char>(number << 3 | 2) + std::string(1, static_cast<char>(bytes.size())) +
         std::string(bytes);
}

std::string piece(std::string_view spelling, char type) {
  return bytes_field(1, bytes_field(1, spelling) + "\x15\0\0\x80\xBF\x18"s + type);
}

// type  1 unigram, 2 byte pairs, 3 words, 4 characters
std::string model_of_sentencepiece(char type) {
  std::string file = piece(kUnknown, 2) + piece("<s>", 3) + piece("</s>", 3) + piece(kMask, 3) +
                     piece(kDeepSeek, 3) + piece("<", 1);
  for (const std::string& each : ascii()) {
    if (each != kUnknown && each != "<") file += piece(each, 1);
  }
  for (const char* each : {"</", "</s", "s>", "[MASK", "MASK]", "\xE2\x96\x81<", "a</s>"}) {
    file += piece(each, 1);
  }
  return file + bytes_field(2, "\x18"s + type);
}

std::vector<SpecialFile> files() {
  std::vector<SpecialFile> all = {
      {"acme.letters", "of this program", std::nullopt},
      {"tenon.wordpiece", "as it is", vocabulary_of_bert()},
      {"tenon.wordpiece", "upper case", vocabulary_of_bert(), {{"lower_case", flag(false)}}},
      {"tenon.wordpiece",
       "a word for the unknown",
       vocabulary_of_bert(),
       {{"unknown", text("unk")}}},
      {"tenon.wordpiece", "no prefix", vocabulary_of_bert(), {{"prefix", text("")}}},
      {"tenon.sentencepiece", "unigram", model_of_sentencepiece(1)},
      {"tenon.sentencepiece", "byte pairs", model_of_sentencepiece(2)},
      {"tenon.sentencepiece", "words", model_of_sentencepiece(3)},
      {"tenon.sentencepiece", "characters", model_of_sentencepiece(4)}};
  static std::string special;
  special.clear();
  all.push_back({"tenon.tiktoken", "a whole text", ranks_of_tiktoken(special)});
  all.back().options = {{"pattern", text("[\\s\\S]+")}, {"special", text(special)}};
  add_json_files(all);
  return all;
}

// ---- The tests ----------------------------------------------------------------------------------

class SpecialTexts : public TokenizerTest {
 protected:
  json kinds() {
    tenon_text* made = nullptr;
    must(tenon_runtime_query(context, "tokenizers", TENON_NUL, &made));
    const char* data = nullptr;
    uint64_t length = 0;
    must(tenon_text_get(made, &data, &length));
    json all = json::parse(std::string(data, length));
    tenon_text_release(made);
    return all;
  }

  bool is_special(const Tokenizer& tokenizer, int64_t token) {
    uint32_t flags = 0;
    const std::string words = spelling(tokenizer, token, &flags);
    return (flags & TENON_TOKEN_SPECIAL) != 0 && token != info(tokenizer).unknown &&
           !verify::is_byte_spelling(words);
  }
  Tokens special_tokens(const Tokenizer& tokenizer) {
    Tokens special;
    const int64_t size = info(tokenizer).size;
    for (int64_t token = 0; token < size; ++token) {
      if (is_special(tokenizer, token)) special.push_back(token);
    }
    return special;
  }

  // The special tokens of a text; nullopt if it is refused for a character without a token.
  std::optional<Tokens> special_of(const Tokenizer& tokenizer, const std::string& words,
                                   uint32_t flags) {
    tenon_tensor* made = nullptr;
    const tenon_status status =
        tenon_tokenizer_call(context, tokenizer.get(), words.data(), words.size(), flags, 0, &made);
    const Tensor owned(made);
    if (status == TENON_E_DATA) return std::nullopt;
    must(status);
    Tokens special;
    for (const int64_t token : made ? values_of<int64_t>(made) : Tokens()) {
      if (is_special(tokenizer, token)) special.push_back(token);
    }
    return special;
  }

  // Every special token stays text, and is read where it is to be.
  void check(const Tokenizer& tokenizer) {
    const Tokens special = special_tokens(tokenizer);
    ASSERT_FALSE(special.empty()) << "a file without special tokens shows nothing";
    const auto added = special_of(tokenizer, "a", TENON_TOKENIZER_ADD_SPECIAL);
    for (size_t i = 0; i < special.size(); ++i) {
      const std::string token = spelling(tokenizer, special[i]);
      const std::string other = spelling(tokenizer, special[(i + 1) % special.size()]);
      ASSERT_THAT(special_of(tokenizer, token, TENON_TOKENIZER_READ_SPECIAL),
                  testing::Optional(Contains(special[i])))
          << token;
      size_t encoded = 0;
      for (const std::string& words : verify::special_texts(token, other, "abc ab")) {
        const auto found = special_of(tokenizer, words, 0);
        encoded += found ? 1 : 0;
        ASSERT_EQ(found.value_or(Tokens()), Tokens()) << json(words).dump();
        ASSERT_EQ(special_of(tokenizer, words, TENON_TOKENIZER_ADD_SPECIAL), found ? added : found)
            << json(words).dump();
      }
      ASSERT_GE(encoded, 40u) << "of " << token << " most texts are refused, which shows little";
    }
  }

  // Those of the kind's own samples, for a kind of which files() has none.
  bool samples_have_special(const json& kind) {
    for (const json& sample : kind.at("samples")) {
      if (sample.at("expect") != TENON_OK) continue;
      std::optional<std::string> file;
      if (sample.contains("file_hex")) file = bytes_of_hex(sample.at("file_hex"));
      const std::string said = sample.at("options");
      const sdk::Sample options = said.empty() ? sdk::Sample() : sdk::parse_sample("| " + said);
      std::vector<Option> given;
      for (const auto& [name, value] : options.attrs) {
        given.emplace_back(name, sdk::sample_attribute(value));
      }
      if (!special_tokens(tokenizer(kind.at("name").get<std::string>(), given, file)).empty()) {
        return true;
      }
    }
    return false;
  }

 private:
  static std::string bytes_of_hex(const std::string& hex) {
    std::string bytes;
    for (size_t i = 0; i + 1 < hex.size(); i += 2) {
      bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    return bytes;
  }
};

TEST_F(SpecialTexts, NoneIsReadUnasked) {
  for (const json& kind : kinds()) {
    const std::string name = kind.at("name");
    bool is_known = false;
    for (const SpecialFile& each : files()) {
      if (each.kind != name) continue;
      is_known = true;
      SCOPED_TRACE(name + ", " + each.what);
      check(tokenizer(name, each.options, each.file));
    }
    EXPECT_TRUE(is_known || !samples_have_special(kind))
        << name << " has special tokens: add a file for it to files() of special_text_test.cc";
  }
}

// So many spellings, and what they are for.
TEST(SpecialTextsOfAToken, AreManyAndDiffer) {
  EXPECT_THAT(verify::special_texts("\xC3\xA9", "<s>", ""), Contains("e\xCC\x81"));
  const std::vector<std::string> all = verify::special_texts("<s>", "</s>", "some text");
  EXPECT_GE(std::set<std::string>(all.begin(), all.end()).size(), 50u);
  for (const std::string words :
       {"<s>", "a<s>b", "\n<s>\n", "<S>", "<s></s>", "<<s>s>", "some<s> text", "< s >",
        "\xE2\x96\x81<s>", "<\xE2\x80\x8Bs>", "\xEF\xBC\x9C\xEF\xBD\x93\xEF\xBC\x9E",
        "<\xCC\x81s\xCC\x81>", "<0x3C><0x73><0x3E>", "<\xF0\x9D\x90\xAC>"}) {
    EXPECT_THAT(all, Contains(words));
  }
}

}  // namespace
}  // namespace tenon::tests
