// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizers/pairs.cc: the tokenizer tenon.pairs. Its file is text: the title, then a line
// for each merge in the order they were learnt:
//
//   tenon-pairs 1
//   <left> <right>       merge k makes token 256 + k of two below it
#include "pairs.hpp"

#include <tenon/sdk/plugin/plugin.hpp>
#include <tenon/sdk/plugin/tokenizer.hpp>

#include "pair_trainer.hpp"

namespace {

namespace sdk = tenon::sdk;
using namespace tenon::tokenizers;

enum Option : uint32_t { kText, kVocabulary };

constexpr int64_t kVocabularyUnlessGiven = 1024;

class PairTokenizer {
 public:
  PairTokenizer(const sdk::Attrs& options, const sdk::TokenizerFile& file)
      : pairs_(is_read(file, options) ? read(*file, options) : learn(options)) {}

  tenon_tokenizer_info info() const { return sdk::tokenizer_info(pairs_.size()); }
  std::vector<Token> encode(std::string_view text, uint32_t, int64_t limit) const {
    return pairs_.encode(text, limit);
  }
  std::string decode(std::span<const Token> tokens, uint32_t) const {
    return pairs_.decode(tokens);
  }
  sdk::Spelling token(Token token) const { return {pairs_.piece(token), 0}; }
  Token find(std::string_view spelling) const { return pairs_.find(spelling); }
  std::string save() const { return pairs_.file_text(); }

 private:
  static Pairs read(std::string_view file, const sdk::Attrs& options) {
    if (options.given(kVocabulary)) {
      throw sdk::Failure{TENON_E_ATTRIBUTE, "a file's vocabulary is as large as it was learnt",
                         "vocabulary", "nothing with a file",
                         std::to_string(options.integer(kVocabulary))};
    }
    return Pairs::parse(file);
  }

  static Pairs learn(const sdk::Attrs& options) {
    const int64_t vocabulary =
        options.given(kVocabulary) ? options.integer(kVocabulary) : kVocabularyUnlessGiven;
    if (vocabulary < kByteTokens || vocabulary > kMaxTokens) {
      throw sdk::Failure{TENON_E_ATTRIBUTE, "vocabulary is out of range", "vocabulary",
                         std::to_string(kByteTokens) + " to " + std::to_string(kMaxTokens),
                         std::to_string(vocabulary)};
    }
    return Pairs(PairTrainer(options.text(kText)).train(static_cast<Token>(vocabulary)));
  }

  Pairs pairs_;
};

constexpr tenon_tokenizer_option kOptions[] = {
    sdk::optional_tokenizer_option("text", TENON_VALUE_STRING,
                                   "learns the pairs of this text, in place of a file"),
    sdk::optional_tokenizer_option("vocabulary", TENON_VALUE_I64,
                                   "tokens that are learnt, the 256 bytes among them; 1024 unless "
                                   "given, and fewer if no pair stands in the text twice")};

constexpr tenon_tokenizer_sample kSamples[] = {
    sdk::tokenizer_sample({.options = "text=\"ab ab ab abc abc\", vocabulary=258",
                           .text = "abc ab\xC3\xA9\n",
                           .tokens = "256 99 257 195 169 10"}),
    sdk::tokenizer_sample({.file = "tenon-pairs 1\n97 98\n256 99\n98 99\n97 97\n",
                           .text = "abc bcabab aaab aaaa a",
                           .tokens = "257 32 258 256 256 32 259 256 32 259 259 32 97"}),
    sdk::tokenizer_sample({.file = "tenon-pairs 1\n", .text = "", .tokens = ""}),
    sdk::refused_tokenizer({.text = "a"}, TENON_E_ATTRIBUTE, "neither a file nor a text"),
    sdk::refused_tokenizer({.options = "text=\"a\"", .file = "tenon-pairs 1\n", .text = "a"},
                           TENON_E_ATTRIBUTE, "a file and a text"),
    sdk::refused_tokenizer({.options = "text=\"a\", vocabulary=255", .text = "a"},
                           TENON_E_ATTRIBUTE, "vocabulary is out of range"),
    sdk::refused_tokenizer({.options = "vocabulary=300", .file = "tenon-pairs 1\n", .text = "a"},
                           TENON_E_ATTRIBUTE, "a file's vocabulary"),
    sdk::refused_tokenizer({.file = "tenon-pairs 2\n", .text = "a"}, TENON_E_DATA, "line 1"),
    sdk::refused_tokenizer({.file = "tenon-pairs 1\n97 256\n", .text = "a"}, TENON_E_DATA,
                           "line 2: this is not a merge")};

constexpr tenon_tokenizer_desc kTokenizers[] = {sdk::tokenizer<PairTokenizer>(
    {.name = "tenon.pairs",
     .doc = "Byte pairs that were learnt from a text: the 256 bytes, and merges of two tokens that "
            "often stand together within a word. Every text can be encoded and comes back byte for "
            "byte. The same text gives the same tokenizer everywhere.",
     .endings = ".pairs",
     .options = kOptions,
     .samples = kSamples})};

}  // namespace

TENON_UNIT(pairs) = {.tokenizers = kTokenizers};
