// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/wordpiece.cc: the tokenizer tenon.wordpiece: BERT's, of a vocab.txt with a
// token on each line (J. Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers",
// NAACL 2019).
#include <tenon/sdk/plugin/plugin.hpp>

#include "pipeline.hpp"
#include "unicode.hpp"

namespace {

namespace sdk = tenon::sdk;
using namespace tenon::tokenizer_json;

enum Option : uint32_t { kLowerCase, kStripAccents, kIdeographs, kUnknown, kPrefix };

Vocabulary read_vocabulary(std::string_view file) {
  Vocabulary vocabulary;
  require_utf8(file, "file");
  for (int64_t line = 0; !file.empty(); ++line) {
    const std::string spelling = stripped(take_until(file, '\n'), false, true);
    if (spelling.empty()) continue;  // its number stays free
    try {
      vocabulary.add(spelling, line);
    } catch (sdk::Failure& failure) {
      failure.what = "line " + std::to_string(line + 1) + ": " + failure.what;
      throw;
    }
  }
  return vocabulary;
}

Pipeline make(const sdk::Attrs& options, const sdk::TokenizerFile& file) {
  Parts parts;
  parts.vocabulary = read_vocabulary(sdk::required_file(file));
  const bool lower = options.flag(kLowerCase);
  parts.normalizer = bert_normalizer(
      {.ideographs = options.flag(kIdeographs),
       .strip_accents = options.given(kStripAccents) ? options.flag(kStripAccents) : lower,
       .lower_case = lower});
  parts.splitter = bert_splitter();
  const WordPieces settings = {.unknown = std::string(options.text(kUnknown)),
                               .prefix = std::string(options.text(kPrefix))};
  parts.decoder = wordpiece_decoder(settings.prefix, true);
  const auto special = [&](const std::string& content) {
    const int32_t token = parts.vocabulary.find(content);
    if (token >= 0) parts.added.push_back({.content = content, .token = token, .special = true});
    return token;
  };
  parts.unknown = special(settings.unknown);
  const int32_t begin = special("[CLS]");
  const int32_t end = special("[SEP]");
  parts.pad = special("[PAD]");
  special("[MASK]");
  if (begin >= 0 && end >= 0) {
    parts.before = {begin};
    parts.after = {end};
  }
  return Pipeline(std::move(parts),
                  [&](const Vocabulary& vocabulary) { return word_pieces(vocabulary, settings); });
}

class WordPieceTokenizer : public Pipeline {
 public:
  WordPieceTokenizer(const sdk::Attrs& options, const sdk::TokenizerFile& file)
      : Pipeline(make(options, file)) {}
};

constexpr tenon_tokenizer_option kOptions[] = {
    sdk::tokenizer_option("lower_case", true, "upper case is lost"),
    sdk::optional_tokenizer_option("strip_accents", TENON_VALUE_BOOL,
                                   "accents are lost; as `lower_case` unless given"),
    sdk::tokenizer_option("ideographs", true, "each Chinese character is a word"),
    sdk::tokenizer_option("unknown", sdk::text_value("[UNK]"), "the token of an unknown word"),
    sdk::tokenizer_option("prefix", sdk::text_value("##"),
                          "how a piece is spelt that does not begin a word")};

constexpr std::string_view kFile =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nun\n##aff\n##able\ncafe\n,\n\xE6\x9D\xB1\n";

constexpr tenon_tokenizer_sample kSamples[] = {
    sdk::tokenizer_sample({.file = kFile,
                           .text = "The unaffable, caf\xC3\xA9 xyz",
                           .tokens = "5 6 7 8 10 9 1",
                           .lossy = true}),
    sdk::tokenizer_sample({.options = "lower_case=false",
                           .file = kFile,
                           .text = "the The \xE6\x9D\xB1\xE6\x9D\xB1",
                           .tokens = "5 1 11 11",
                           .lossy = true}),
    sdk::tokenizer_sample({.file = kFile, .text = "the cafe", .tokens = "5 9"}),
    sdk::refused_tokenizer({.text = "a"}, TENON_E_ATTRIBUTE, "made of a file"),
    sdk::refused_tokenizer({.file = "a\nb\n", .text = "a"}, TENON_E_DATA, "[UNK]"),
    sdk::refused_tokenizer({.file = "[UNK]\na\na\n", .text = "a"}, TENON_E_DATA, "line 3")};

constexpr tenon_tokenizer_desc kTokenizers[] = {sdk::tokenizer<WordPieceTokenizer>(
    {.name = "tenon.wordpiece",
     .doc = "BERT's tokenizer, of a vocab.txt: words and signs, cut into the longest pieces of the "
            "vocabulary. Name it for a vocab.txt: the ending .txt says nothing. ADD_SPECIAL puts "
            "[CLS] before a text and [SEP] after it.",
     .endings = ".vocab",
     .options = kOptions,
     .samples = kSamples})};

}  // namespace

TENON_UNIT(wordpiece) = {.tokenizers = kTokenizers};
