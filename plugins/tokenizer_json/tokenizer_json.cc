// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/tokenizer_json.cc: the tokenizer tenon.tokenizer_json: files of the
// package `tokenizers` (https://github.com/huggingface/tokenizers), whose steps keep their names
// and meanings.
#include <tenon/sdk/plugin/plugin.hpp>

#include <algorithm>
#include <unordered_set>

#include "json_field.hpp"
#include "pipeline.hpp"
#include "read_steps.hpp"

namespace tenon::tokenizer_json {
namespace {

using nlohmann::json;

// Failures get the place in the file where they were found.
template <class Work>
auto within(const std::string& path, Work&& work) {
  try {
    return work();
  } catch (sdk::Failure& failure) {
    if (!failure.what.starts_with(path)) failure.what = path + ": " + failure.what;
    throw;
  }
}

// [spelling, score]
std::pair<std::string, double> read_piece(const Field& field) {
  const std::vector<Field> two = field.list();
  if (two.size() != 2) field.refuse(TENON_E_DATA, "it is not a piece", "[spelling, score]");
  return {two[0].text(), two[1].number()};
}

// Pieces, in the order of their numbers.
void read_pieces(const Field& vocab, Vocabulary& vocabulary) {
  int64_t number = 0;
  for (const Field& each : vocab.list()) {
    std::string spelling = read_piece(each).first;
    if (!spelling.empty()) vocabulary.add(std::move(spelling), number);
    ++number;
  }
}

// {spelling: number}
void read_words(const Field& vocab, Vocabulary& vocabulary) {
  std::vector<std::pair<int64_t, std::string>> tokens;
  for (const auto& [spelling, number] : vocab.members()) {
    tokens.emplace_back(number.whole(), spelling);
  }
  std::ranges::sort(tokens);  // memory grows with the numbers
  for (auto& [token, spelling] : tokens) {
    if (!spelling.empty()) vocabulary.add(std::move(spelling), token);
  }
}

AddedToken read_added(const Field& field, Vocabulary& vocabulary) {
  AddedToken token = {.content = field["content"].text(),
                      .single_word = field["single_word"].flag_or(false),
                      .lstrip = field["lstrip"].flag_or(false),
                      .rstrip = field["rstrip"].flag_or(false),
                      .normalized = field["normalized"].flag_or(true),
                      .special = field["special"].flag_or(false)};
  const int64_t number = field["id"].whole();
  if (token.content.empty()) field["content"].refuse(TENON_E_DATA, "it is empty", "a text");
  const bool is_known = vocabulary.find(token.content) >= 0;
  vocabulary.add(token.content, number);
  token.token = static_cast<int32_t>(number);
  if (!is_known) vocabulary.set_beside_model(token.token);
  return token;
}

// "a b", or ["a", "b"].
std::pair<std::string, std::string> read_merge(const Field& field) {
  if (!field.is_text()) {
    const std::vector<Field> two = field.list();
    if (two.size() != 2) field.refuse(TENON_E_DATA, "it is not a merge", "two texts");
    return {two[0].text(), two[1].text()};
  }
  const std::string text = field.text();
  const size_t space = text.find(' ');
  if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) {
    field.refuse(TENON_E_DATA, "it is not a merge", "two texts with one space between");
  }
  return {text.substr(0, space), text.substr(space + 1)};
}

BytePairs read_byte_pairs(const Field& model) {
  const Field dropout = model["dropout"];
  if (!dropout.is_zero_or_null()) {
    dropout.refuse(TENON_E_UNSUPPORTED, "merges that are left out by chance are not offered here",
                   "null or 0");
  }
  BytePairs pairs = {.merges = {},
                     .unknown = model["unk_token"].text_or(""),
                     .prefix = model["continuing_subword_prefix"].text_or(""),
                     .suffix = model["end_of_word_suffix"].text_or(""),
                     .fuse_unknown = model["fuse_unk"].flag_or(false),
                     .byte_fallback = model["byte_fallback"].flag_or(false),
                     .ignore_merges = model["ignore_merges"].flag_or(false)};
  for (const Field& each : model["merges"].list()) {
    if (each.is_text() && each.text().starts_with("#version")) continue;  // a line of merges.txt
    pairs.merges.push_back(read_merge(each));
  }
  return pairs;
}

// The token of a unigram model for what is unknown; -1: none.
int32_t unknown_piece(const Field& model) {
  const Field number = model["unk_id"];
  const int64_t token = number.whole_or(-1);
  const auto size = static_cast<int64_t>(model["vocab"].list().size());
  if (!number.is_null() && (token < 0 || token >= size)) {
    number.refuse(TENON_E_DATA, "it is not a token", "null or a place in the vocabulary");
  }
  return static_cast<int32_t>(token);
}

Unigrams read_unigrams(const Field& model) {
  Unigrams unigrams = {.scores = {},
                       .unknown = unknown_piece(model),
                       .byte_fallback = model["byte_fallback"].flag_or(false)};
  int32_t number = 0;
  for (const Field& each : model["vocab"].list()) {
    const auto [spelling, score] = read_piece(each);
    if (!spelling.empty()) unigrams.scores.emplace_back(number, score);
    ++number;
  }
  return unigrams;
}

// The type of a model; files from before types have none, and are what they have the fields of.
std::string type_of(const Field& model) {
  const Field type = model["type"];
  if (!type.is_null()) return type.text();
  if (model["merges"].is_list()) return "BPE";
  if (model["vocab"].is_list()) return "Unigram";
  return model["max_input_chars_per_word"].is_null() ? "WordLevel" : "WordPiece";
}

// Where the file does not say it.
std::string unknown_of(const Field& model) {
  const std::string type = type_of(model);
  return model["unk_token"].text_or(type == "BPE" ? "" : type == "WordLevel" ? "<unk>" : "[UNK]");
}

std::unique_ptr<Model> read_model(const Field& model, const Vocabulary& vocabulary) {
  const std::string type = type_of(model);
  if (type == "BPE") return byte_pairs(vocabulary, read_byte_pairs(model));
  if (type == "Unigram") return unigrams(vocabulary, read_unigrams(model));
  if (type == "WordLevel") return whole_words(vocabulary, unknown_of(model));
  return word_pieces(vocabulary, {.unknown = unknown_of(model),
                                  .prefix = model["continuing_subword_prefix"].text_or("##"),
                                  .longest_word = model["max_input_chars_per_word"].whole_or(100)});
}

// ---- Special tokens around a text ---------------------------------------------------------------

int32_t read_token(const Field& field, const Vocabulary& vocabulary) {
  const int64_t token = field.whole();
  const bool known = token >= 0 && token < vocabulary.size() &&
                     !vocabulary.spelling(static_cast<int32_t>(token)).empty();
  if (!known) field.refuse(TENON_E_DATA, "it is not a token", "a token of the vocabulary");
  return static_cast<int32_t>(token);
}

// [spelling, number]
int32_t read_named_token(const Field& field, const Vocabulary& vocabulary) {
  const std::vector<Field> two = field.list();
  if (two.size() != 2) field.refuse(TENON_E_DATA, "it is not a token", "[spelling, number]");
  return read_token(two[1], vocabulary);
}

void read_template(const Field& field, Parts& parts) {
  bool has_text = false;
  for (const Field& piece : field["single"].list()) {
    const Field special = piece["SpecialToken"];
    if (special.is_null()) {
      const bool again = has_text || piece["Sequence"]["id"].text() != "A";
      if (again) piece.refuse(TENON_E_UNSUPPORTED, "the text stands once in it", "sequence A once");
      has_text = true;
      continue;
    }
    const std::string name = special["id"].text();
    const Field tokens = field["special_tokens"][name.c_str()]["ids"];
    for (const Field& each : tokens.list()) {
      (has_text ? parts.after : parts.before).push_back(read_token(each, parts.vocabulary));
    }
  }
  if (!has_text) field["single"].refuse(TENON_E_UNSUPPORTED, "the text is not in it", "sequence A");
}

void read_processor(const Field& field, Parts& parts) {
  if (field.is_null()) return;
  const std::string type = field["type"].text();
  if (type == "ByteLevel") return;  // about places in the text
  if (type == "Sequence") {
    for (const Field& each : field["processors"].list()) read_processor(each, parts);
    return;
  }
  if (!parts.before.empty() || !parts.after.empty()) {
    field.refuse(TENON_E_UNSUPPORTED, "there are two that add tokens", "one");
  }
  if (type == "TemplateProcessing") return read_template(field, parts);
  if (type != "BertProcessing" && type != "RobertaProcessing") {
    field["type"].refuse_unknown("'" + type + "'",
                                 "BertProcessing ByteLevel RobertaProcessing Sequence "
                                 "TemplateProcessing");
  }
  parts.before = {read_named_token(field["cls"], parts.vocabulary)};
  parts.after = {read_named_token(field["sep"], parts.vocabulary)};
}

// ---- The whole file -----------------------------------------------------------------------------

json parsed(std::string_view file) {
  try {
    return json::parse(file);
  } catch (const json::parse_error& error) {
    const bool is_cut_off = error.byte > file.size();
    throw sdk::Failure{TENON_E_DATA,
                       is_cut_off
                           ? "it is JSON that is cut off at byte " + std::to_string(file.size())
                           : "it is not JSON from byte " + std::to_string(error.byte) + " on",
                       "file",
                       "JSON",
                       "",
                       "get the file again"};
  } catch (const json::out_of_range&) {
    throw sdk::Failure{TENON_E_DATA, "a number in it is too large for any", "file",
                       "numbers that a double holds", ""};
  }
}

void check_model(const Field& model) {
  const std::string type = type_of(model);
  if (type == "BPE" || type == "Unigram" || type == "WordLevel" || type == "WordPiece") return;
  model["type"].refuse_unknown("'" + type + "'", "BPE Unigram WordLevel WordPiece");
}

// JSON without a model: what it may be instead.
[[noreturn]] void refuse_other_file(const Field& root) {
  std::string what = "another file", hint = "a tokenizer's own file is tokenizer.json";
  const auto members =
      root.is_object() ? root.members() : std::vector<std::pair<std::string, Field>>();
  if (!root.is_object()) {
    what = "JSON of another kind";
  } else if (!root["vocab"].is_null() && !root["config"].is_null()) {
    what = "a tekken.json, which is not read here";
    hint = "take the tokenizer.json of the same model";
  } else if (!members.empty() && std::ranges::all_of(members, [](const auto& member) {
               return member.second.is_whole();
             })) {
    what = "a vocab.json";
    hint = "give the lines of its merges.txt as the option merges";
  }
  throw sdk::Failure{
      TENON_E_DATA, "it is not a tokenizer.json but " + what, "model", "a model", "none", hint};
}

Pipeline read(const Field& root) {
  if (!root.is_object() || !root["model"].is_object()) refuse_other_file(root);
  const Field model = root["model"];
  check_model(model);
  Parts parts;
  const bool of_pieces = type_of(model) == "Unigram";
  within("model.vocab",
         [&] { (of_pieces ? read_pieces : read_words)(model["vocab"], parts.vocabulary); });
  const Field added = root["added_tokens"];
  if (!added.is_null()) {
    std::unordered_set<int32_t> seen;
    for (const Field& each : added.list()) {
      within("added_tokens", [&] {
        AddedToken token = read_added(each, parts.vocabulary);
        // Of one that is listed twice, by one number then, the first counts; but it is special if
        // any says so.
        if (seen.insert(token.token).second) {
          parts.added.push_back(std::move(token));
        } else if (token.special) {
          std::ranges::find(parts.added, token.token, &AddedToken::token)->special = true;
        }
      });
    }
  }
  parts.unknown = of_pieces ? unknown_piece(model) : parts.vocabulary.find(unknown_of(model));
  parts.normalizer = read_normalizer(root["normalizer"]);
  parts.splitter = read_splitter(root["pre_tokenizer"]);
  parts.decoder = read_decoder(root["decoder"]);
  read_processor(root["post_processor"], parts);
  const Field padding = root["padding"];
  if (!padding.is_null()) parts.pad = read_token(padding["pad_id"], parts.vocabulary);
  return within("model", [&] {
    return Pipeline(std::move(parts),
                    [&](const Vocabulary& vocabulary) { return read_model(model, vocabulary); });
  });
}

}  // namespace

Pipeline read_tokenizer_json(std::string_view file) {
  const json all = parsed(file);
  return read(Field(all, ""));
}

namespace {

enum Option : uint32_t { kMerges, kSpecial };

json merges_of(std::string_view lines) {
  json merges = json::array();
  if (lines.starts_with("\xEF\xBB\xBF")) lines.remove_prefix(3);  // a byte order mark
  if (lines.find(' ') == std::string_view::npos) {
    throw sdk::Failure{TENON_E_ATTRIBUTE,
                       "it has no merge",
                       "merges",
                       "the lines of a merges.txt",
                       std::string(lines.substr(0, 64)),
                       "give what the file holds, not its name"};
  }
  while (!lines.empty()) {
    std::string_view line = take_until(lines, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty() && !line.starts_with("#version")) merges.push_back(line);
  }
  return merges;
}

json special_tokens_of(std::string_view spellings, const json& vocab) {
  json added = json::array();
  while (!spellings.empty()) {
    const std::string spelling(take_until(spellings, ' '));
    if (spelling.empty()) continue;
    if (!vocab.contains(spelling)) {
      throw sdk::Failure{TENON_E_ATTRIBUTE, "'" + spelling + "' is not in the vocabulary",
                         "special", "tokens, with a space between", spelling};
    }
    added.push_back({{"id", vocab[spelling]},
                     {"content", spelling},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
  }
  return added;
}

// A word "model" is in a vocabulary as any other.
bool is_vocabulary(const json& file) {
  return file.is_object() && (!file.contains("model") || !file["model"].is_object());
}

// The tokenizer.json of a vocab.json, if there are merges: bytes as GPT-2 has them.
std::string whole_file(const sdk::Attrs& options, std::string_view file) {
  if (!options.given(kMerges)) {
    if (options.given(kSpecial)) {
      throw sdk::Failure{TENON_E_ATTRIBUTE,
                         "special tokens are named for a vocab.json; a tokenizer.json says itself "
                         "what is special",
                         "special",
                         "none without merges",
                         "a text",
                         "for a vocab.json give merges, too"};
    }
    return std::string(file);
  }
  const json vocab = parsed(file);
  if (!is_vocabulary(vocab)) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "merges are for a vocab.json, which this is not",
                       "merges", "none beside a tokenizer.json", "a text"};
  }
  for (const auto& [spelling, number] : vocab.items()) {
    if (!spelling.ends_with("</w>")) continue;
    throw sdk::Failure{TENON_E_UNSUPPORTED,
                       "the vocabulary marks ends of words, which GPT-2's does not",
                       "file",
                       "byte pairs as of GPT-2",
                       spelling,
                       "take the tokenizer.json of the same model"};
  }
  const json bytes = {{"type", "ByteLevel"},
                      {"add_prefix_space", false},
                      {"trim_offsets", true},
                      {"use_regex", true}};
  const json model = {{"type", "BPE"},
                      {"dropout", nullptr},
                      {"unk_token", nullptr},
                      {"continuing_subword_prefix", nullptr},
                      {"end_of_word_suffix", nullptr},
                      {"fuse_unk", false},
                      {"byte_fallback", false},
                      {"vocab", vocab},
                      {"merges", merges_of(options.text(kMerges))}};
  const json whole = {
      {"version", "1.0"},
      {"truncation", nullptr},
      {"padding", nullptr},
      {"normalizer", nullptr},
      {"post_processor", nullptr},
      {"added_tokens",
       options.given(kSpecial) ? special_tokens_of(options.text(kSpecial), vocab) : json::array()},
      {"pre_tokenizer", bytes},
      {"decoder", bytes},
      {"model", model}};
  return whole.dump(-1, ' ', false, json::error_handler_t::replace);
}

class TokenizerJson : public Pipeline {
 public:
  TokenizerJson(const sdk::Attrs& options, const sdk::TokenizerFile& file)
      : TokenizerJson(whole_file(options, sdk::required_file(file))) {}
  const std::string& save() const { return file_; }

 private:
  explicit TokenizerJson(std::string file)
      : Pipeline(read_tokenizer_json(file)), file_(std::move(file)) {}

  std::string file_;
};

constexpr tenon_tokenizer_option kOptions[] = {
    sdk::optional_tokenizer_option(
        "merges", TENON_VALUE_STRING,
        "the lines of a merges.txt; then the file is its vocab.json, cut as GPT-2 cuts"),
    sdk::optional_tokenizer_option("special", TENON_VALUE_STRING,
                                   "with `merges`: special tokens, with a space between")};

constexpr std::string_view kByteLevel = R"({
  "version": "1.0",
  "added_tokens": [{"id": 7, "content": "<end>", "single_word": false, "lstrip": false,
                    "rstrip": false, "normalized": false, "special": true}],
  "normalizer": null,
  "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
  "post_processor": null,
  "decoder": {"type": "ByteLevel"},
  "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "\u0120": 2, "ab": 3, "\u0120ab": 4,
                                     "\u00c3": 5, "\u00a9": 6},
            "merges": ["a b", ["\u0120", "ab"]]}})";
constexpr std::string_view kUnknown = R"({"added_tokens": [],
  "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"},
  "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": false},
  "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {"[UNK]": 0, "to": 1, "##ken": 2, "!": 3}}})";

constexpr std::string_view kPieces = R"({
  "added_tokens": [{"id": 1, "content": "</s>", "normalized": false, "special": true}],
  "normalizer": {"type": "Nmt"},
  "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always"},
  "decoder": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always"},
  "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["</s>", 0], ["\u2581", -2],
            ["a", -3], ["b", -3], ["ab", -4], ["\u2581ab", -4.5], ["ba", -6.5]]}})";
constexpr std::string_view kSpelledSpecial = R"({
  "added_tokens": [{"id": 5, "content": "<e>", "normalized": false, "special": true}],
  "pre_tokenizer": {"type": "WhitespaceSplit"},
  "model": {"type": "BPE", "unk_token": "?", "merges": ["< e", "<e >"],
            "vocab": {"?": 0, "<": 1, "e": 2, ">": 3, "<e": 4, "<e>": 5}}})";
constexpr std::string_view kVocabulary = R"({"a": 0, "b": 1, "\u0120": 2, "ab": 3, "<end>": 4})";

constexpr tenon_tokenizer_sample kSamples[] = {
    sdk::tokenizer_sample({.file = kByteLevel, .text = "ab ab\xC3\xA9", .tokens = "3 4 5 6"}),
    sdk::tokenizer_sample({.file = kByteLevel, .text = "ab ab ba", .tokens = "3 4 2 1 0"}),
    sdk::tokenizer_sample({.file = kUnknown, .text = "token to !", .tokens = "1 2 1 3"}),
    sdk::tokenizer_sample({.file = kUnknown, .text = "To ken!", .tokens = "1 0 3", .lossy = true}),
    sdk::tokenizer_sample({.file = kPieces, .text = "ab baab", .tokens = "6 2 4 3 5"}),
    sdk::tokenizer_sample(
        {.file = kPieces, .text = "a\nxyb", .tokens = "2 3 2 0 4", .lossy = true}),
    sdk::tokenizer_sample({.options = "merges=\"#version: 0.2\na b\n\"",
                           .file = kVocabulary,
                           .text = "ab ab",
                           .tokens = "3 2 3"}),
    sdk::tokenizer_sample(
        {.file = kSpelledSpecial, .text = "<e> ex", .tokens = "4 3 2 0", .lossy = true}),
    sdk::refused_tokenizer({.file = kVocabulary, .text = "a"}, TENON_E_DATA, "a vocab.json"),
    sdk::refused_tokenizer({.file = R"({"config": {}, "vocab": []})", .text = "a"}, TENON_E_DATA,
                           "a tekken.json"),
    sdk::refused_tokenizer({.text = "a"}, TENON_E_ATTRIBUTE, "made of a file"),
    sdk::refused_tokenizer({.file = "{", .text = "a"}, TENON_E_DATA, "cut off at byte 1"),
    sdk::refused_tokenizer({.file = "{x", .text = "a"}, TENON_E_DATA, "not JSON from byte 2"),
    sdk::refused_tokenizer({.file = kByteLevel, .text = "c"}, TENON_E_DATA, "no unknown token"),
    sdk::refused_tokenizer({.file = R"({"model": {"type": "Unigram", "vocab": []}})", .text = "a"},
                           TENON_E_DATA, "no unknown token"),
    sdk::refused_tokenizer(
        {.file = R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]}})",
         .text = "a"},
        TENON_E_DATA, "merges")};

constexpr tenon_tokenizer_desc kTokenizers[] = {sdk::tokenizer<TokenizerJson>(
    {.name = "tenon.tokenizer_json",
     .doc = "A tokenizer.json of the package `tokenizers`, with a model of byte pairs, of word "
            "pieces, of unigrams or of words: GPT-2, Llama 3, BERT, T5 and others. Regular "
            "expressions mean what "
            "Oniguruma means by them. What the file says of truncation and padding "
            "is not done: `limit` and batches do that. A step or model that is not known here "
            "is refused, by its name.",
     .endings = ".json",
     .options = kOptions,
     .samples = kSamples})};

}  // namespace
}  // namespace tenon::tokenizer_json

TENON_UNIT(tokenizer_json) = {.tokenizers = tenon::tokenizer_json::kTokenizers};
