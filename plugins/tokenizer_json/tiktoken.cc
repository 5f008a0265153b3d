// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/tiktoken.cc: the tokenizer tenon.tiktoken: the ranks of a .tiktoken file
// of the package `tiktoken` (https://github.com/openai/tiktoken). The file holds neither the
// expression that cuts a text nor the special tokens: both are options.
#include <tenon/sdk/plugin/base64.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "pipeline.hpp"

namespace tenon::tokenizer_json {
namespace {

constexpr std::string_view kOfGpt2 =
    R"('(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s)";
constexpr std::string_view kOfCl100k =
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|)"
    R"(\s++$|\s*[\r\n]|\s+(?!\S)|\s)";
constexpr std::string_view kOfO200k =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// What the package says of the encodings that it names.
struct Published {
  std::string_view name;
  int32_t ranks;  // how many
  std::string_view pattern;
  std::string_view special;
  int32_t reserved_from = 0;  // <|reserved_N|>, for each N that is free, before `reserved_until`
  int32_t reserved_until = 0;
};
// Of o200k_harmony the number 200018 is <|reserved_200018|>, too, in the package.
constexpr Published kPublished[] = {
    {"gpt2", 50256, kOfGpt2, "<|endoftext|>=50256"},
    {"r50k_base", 50256, kOfGpt2, "<|endoftext|>=50256"},
    {"p50k_base", 50280, kOfGpt2, "<|endoftext|>=50256"},
    {"p50k_edit", 50280, kOfGpt2,
     "<|endoftext|>=50256 <|fim_prefix|>=50281 <|fim_middle|>=50282 <|fim_suffix|>=50283"},
    {"cl100k_base", 100256, kOfCl100k,
     "<|endoftext|>=100257 <|fim_prefix|>=100258 <|fim_middle|>=100259 <|fim_suffix|>=100260 "
     "<|endofprompt|>=100276"},
    {"o200k_base", 199998, kOfO200k, "<|endoftext|>=199999 <|endofprompt|>=200018"},
    {"o200k_harmony", 199998, kOfO200k,
     "<|startoftext|>=199998 <|endoftext|>=199999 <|endofprompt|>=200018 <|return|>=200002 "
     "<|constrain|>=200003 "
     "<|channel|>=200005 <|start|>=200006 <|end|>=200007 <|message|>=200008 <|call|>=200012",
     200000, 201088}};

const Published* published(std::string_view name) {
  const auto* const found = std::ranges::find(kPublished, name, &Published::name);
  return found == std::end(kPublished) ? nullptr : found;
}

std::string names_of_encodings() {
  std::string names;
  for (const Published& each : kPublished) {
    names += (names.empty() ? "" : " ") + std::string(each.name);
  }
  return names;
}

// A name that is none: an expression has more than letters, digits and a few signs.
void require_expression(std::string_view pattern) {
  const auto is_of_a_name = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == ' ';
  };
  if (!std::ranges::all_of(pattern, is_of_a_name)) return;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "no encoding is named '" + std::string(pattern) + "'",
                     "pattern", "an expression, or one of: " + names_of_encodings(),
                     std::string(pattern)};
}

void require_ranks(const Published& encoding, int32_t ranks) {
  if (ranks == encoding.ranks) return;
  throw sdk::Failure{TENON_E_ATTRIBUTE,
                     "these are not the ranks of " + std::string(encoding.name),
                     "pattern",
                     "a file of " + std::to_string(encoding.ranks) + " ranks",
                     std::to_string(ranks),
                     "name the encoding of the file, or give its expression"};
}

std::optional<int32_t> number_of(std::string_view digits) {
  int32_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [after, error] = std::from_chars(digits.data(), end, number);
  if (digits.empty() || error != std::errc() || after != end || number < 0) return std::nullopt;
  return number;
}

// "aGVsbG8= 31373" on each line.
// ranks  set to how many there are
Vocabulary read_ranks(std::string_view file, int32_t& ranks) {
  std::vector<std::pair<int32_t, std::string>> tokens;
  for (int64_t line = 1; !file.empty(); ++line) {
    std::string_view rest = take_until(file, '\n');
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    if (rest.empty()) continue;
    const std::string_view spelling = take_until(rest, ' ');
    // Whisper's multilingual.tiktoken has a token of nothing, which no text becomes.
    const bool is_nothing = spelling == "=";
    const auto bytes = is_nothing ? std::string() : sdk::from_base64(spelling);
    const auto rank = number_of(rest);
    if (!bytes || (bytes->empty() && !is_nothing) || !rank) {
      throw sdk::Failure{TENON_E_DATA,
                         "line " + std::to_string(line) + " is not a token and its rank", "file",
                         "bytes in base64, a space, a number", ""};
    }
    tokens.emplace_back(*rank, *bytes);
  }
  std::ranges::sort(tokens);  // memory grows with the numbers
  Vocabulary vocabulary;
  ranks = static_cast<int32_t>(tokens.size());
  for (auto& [rank, bytes] : tokens) {
    if (!bytes.empty()) vocabulary.add(std::move(bytes), rank);
  }
  if (vocabulary.size() > 0) return vocabulary;
  throw sdk::Failure{TENON_E_DATA, "it has no token", "file",
                     "on each line bytes in base64, a space, a number", "no line"};
}

void add_special(Parts& parts, const std::string& spelling, int32_t token) {
  parts.vocabulary.add(spelling, token);
  parts.added.push_back({.content = spelling, .token = token, .special = true});
}

// "<|endoftext|>=50256 <|fim_prefix|>=50281"
void add_special(Parts& parts, std::string_view list) {
  while (!list.empty()) {
    const std::string_view each = take_until(list, ' ');
    if (each.empty()) continue;
    const size_t equals = std::min(each.rfind('='), each.size());
    const auto token = number_of(each.substr(std::min(equals + 1, each.size())));
    if (equals == 0 || !token) {
      throw sdk::Failure{TENON_E_ATTRIBUTE, "'" + std::string(each) + "' is no special token",
                         "special", "spelling=number, with a space between", std::string(each)};
    }
    add_special(parts, std::string(each.substr(0, equals)), *token);
  }
}

// What the expression leaves out would be lost without a word.
Cutter whole(Cutter cutter) {
  return [cutter = std::move(cutter)](std::string_view text) {
    Cuts cuts = cutter(text);
    for (const Cut& cut : cuts) {
      if (cut.match) continue;
      throw sdk::Failure{
          TENON_E_DATA, "the pattern leaves a part of the text out", "pattern",
          "one that takes every character",
          std::to_string(cut.end - cut.begin) + " bytes at " + std::to_string(cut.begin)};
    }
    return cuts;
  };
}

}  // namespace

Pipeline read_tiktoken(std::string_view file, std::string_view pattern, std::string_view special) {
  Parts parts;
  int32_t ranks = 0;
  parts.vocabulary = read_ranks(file, ranks);
  const Published* const known = published(pattern);
  if (!known) require_expression(pattern);
  if (known) {
    require_ranks(*known, ranks);
    add_special(parts, known->special);
    for (int32_t token = known->reserved_from; token < known->reserved_until; ++token) {
      const auto has_number = [&](const AddedToken& added) { return added.token == token; };
      if (std::ranges::any_of(parts.added, has_number)) continue;
      add_special(parts, "<|reserved_" + std::to_string(token) + "|>", token);
    }
  }
  add_special(parts, special);
  const std::string expression(known ? known->pattern : pattern);
  parts.splitter =
      splitter(whole(by_expression(expression, Dialect::kTiktoken)), Behavior::kIsolated);
  parts.decoder = fuse_decoder();
  return Pipeline(std::move(parts), byte_ranks);
}

namespace {

enum Option : uint32_t { kPattern, kSpecial };

class Tiktoken : public Pipeline {
 public:
  Tiktoken(const sdk::Attrs& options, const sdk::TokenizerFile& file)
      : Pipeline(read_tiktoken(sdk::required_file(file), options.text(kPattern),
                               options.given(kSpecial) ? options.text(kSpecial) : "")) {}
};

constexpr tenon_tokenizer_option kOptions[] = {
    sdk::required_tokenizer_option(
        "pattern", TENON_VALUE_STRING,
        "the expression that cuts a text, or the name of the encoding whose ranks these are: gpt2 "
        "r50k_base p50k_base p50k_edit cl100k_base o200k_base o200k_harmony; its special tokens "
        "then are there too"),
    sdk::optional_tokenizer_option(
        "special", TENON_VALUE_STRING,
        "special tokens with their numbers: '<|endoftext|>=50256 <|end|>=50257'")};

// a b 1 and a space, "ab", and the two bytes of e with an acute accent.
constexpr std::string_view kFile = "YQ== 0\nYg== 1\nMQ== 2\nIA== 3\nYWI= 4\nww== 5\nqQ== 6\n";

constexpr tenon_tokenizer_sample kSamples[] = {
    sdk::tokenizer_sample({.options = "pattern=\"[^ 1]+|1{1,3}+| \"",
                           .file = kFile,
                           .text = "ab ab\xC3\xA9 1111",
                           .tokens = "4 3 4 5 6 3 2 2 2 2"}),
    sdk::tokenizer_sample({.options = "pattern=\"a|b+|1{1,3}+| \", special=\"<end>=9\"",
                           .file = kFile,
                           .text = "ab b",
                           .tokens = "0 1 3 1"}),
    sdk::refused_tokenizer({.options = "pattern=\"a+\"", .file = kFile, .text = "ab"}, TENON_E_DATA,
                           "leaves a part"),
    sdk::refused_tokenizer({.options = "pattern=\".\"", .file = kFile, .text = "c"}, TENON_E_DATA,
                           "no token for a byte"),
    sdk::refused_tokenizer({.options = "pattern=\"gpt2\"", .file = kFile, .text = "a"},
                           TENON_E_ATTRIBUTE, "not the ranks of gpt2"),
    sdk::refused_tokenizer({.options = "pattern=\"cl100k\"", .file = kFile, .text = "a"},
                           TENON_E_ATTRIBUTE, "no encoding is named 'cl100k'"),
    sdk::refused_tokenizer({.options = "pattern=\".\"", .file = "YQ= 0\n", .text = "a"},
                           TENON_E_DATA, "line 1"),
    sdk::refused_tokenizer(
        {.options = "pattern=\".\", special=\"<end>\"", .file = kFile, .text = "a"},
        TENON_E_ATTRIBUTE, "special"),
    sdk::refused_tokenizer({.file = kFile, .text = "a"}, TENON_E_ATTRIBUTE, "pattern")};

constexpr tenon_tokenizer_desc kTokenizers[] = {sdk::tokenizer<Tiktoken>(
    {.name = "tenon.tiktoken",
     .doc = "The ranks of a .tiktoken file of the package `tiktoken`: cl100k_base, o200k_base and "
            "others. The expression means what it means there: {1,3}+ is possessive, ^ and $ are "
            "at the ends of a text. Every token is bytes.",
     .endings = ".tiktoken",
     .options = kOptions,
     .samples = kSamples})};

}  // namespace
}  // namespace tenon::tokenizer_json

TENON_UNIT(tiktoken) = {.tokenizers = tenon::tokenizer_json::kTokenizers};
