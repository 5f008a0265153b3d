// SPDX-License-Identifier: Apache-2.0
// plugins/sentencepiece/sentencepiece.cc: the tokenizer tenon.sentencepiece: models of the
// SentencePiece library (T. Kudo, J. Richardson, "SentencePiece: A simple and language independent
// subword tokenizer and detokenizer for Neural Text Processing", EMNLP 2018).
//
// Encoding and decoding are the library's; files are checked first (model_file.hpp).
#include <sentencepiece_processor.h>
#include <tenon/sdk/plugin/plugin.hpp>
#include <tenon/sdk/plugin/tokenizer.hpp>

#include <array>
#include <unordered_map>

#include "model_file.hpp"

namespace {

namespace sdk = tenon::sdk;
using namespace tenon::sentencepiece;

// The control symbols of a model, to find where a text spells one.
class ControlSymbols {
 public:
  explicit ControlSymbols(const std::vector<Piece>& pieces) {
    for (size_t token = 0; token < pieces.size(); ++token) {
      const Piece& piece = pieces[token];
      if (piece.type != PieceType::kControl) continue;
      tokens_.emplace(piece.text, static_cast<int32_t>(token));
      lengths_of(piece.text).push_back(piece.text.size());
    }
    for (auto& lengths : lengths_) {
      std::ranges::sort(lengths, std::greater());
      lengths.erase(std::ranges::unique(lengths).begin(), lengths.end());
    }
  }

  struct Found {
    size_t length = 0;
    int32_t token = -1;
  };
  // The longest one that a text, which is not empty, begins with.
  Found at_start_of(std::string_view text) const {
    for (const size_t length : lengths_[static_cast<unsigned char>(text[0])]) {
      if (length > text.size()) continue;
      const auto found = tokens_.find(std::string(text.substr(0, length)));
      if (found != tokens_.end()) return {length, found->second};
    }
    return {};
  }

 private:
  std::vector<size_t>& lengths_of(std::string_view symbol) {
    return lengths_[static_cast<unsigned char>(symbol[0])];
  }
  std::unordered_map<std::string, int32_t> tokens_;
  std::array<std::vector<size_t>, 256> lengths_;  // of those that begin with this byte
};

class SentencePiece {
 public:
  SentencePiece(const sdk::Attrs&, const sdk::TokenizerFile& file)
      : SentencePiece(sdk::required_file(file), ModelFile(sdk::required_file(file))) {}

  tenon_tokenizer_info info() const {
    tenon_tokenizer_info info = sdk::tokenizer_info(processor_.GetPieceSize());
    info.unknown = processor_.unk_id();
    info.begin = processor_.bos_id();
    info.end = processor_.eos_id();
    info.pad = processor_.pad_id();
    return info;
  }

  std::vector<int32_t> encode(std::string_view text, uint32_t flags, int64_t limit) const {
    if (text.size() > longest_text_) {
      throw sdk::Failure{TENON_E_DATA,
                         "the text is too long for this model",
                         "text",
                         "at most " + std::to_string(longest_text_) + " bytes",
                         std::to_string(text.size()),
                         "encode it line by line"};
    }
    std::vector<int32_t> tokens;
    if ((flags & TENON_TOKENIZER_READ_SPECIAL) != 0) {
      append_with_symbols(text, tokens);
    } else {
      append(text, tokens);
    }
    const bool adds = (flags & TENON_TOKENIZER_ADD_SPECIAL) != 0;
    return between(std::move(tokens), adds ? processor_.bos_id() : -1,
                   adds ? processor_.eos_id() : -1, limit);
  }

  std::string decode(std::span<const int32_t> tokens, uint32_t flags) const {
    const bool skips = (flags & TENON_TOKENIZER_SKIP_SPECIAL) != 0;
    std::vector<int> kept;
    kept.reserve(tokens.size());
    for (const int32_t token : tokens) {
      if (!skips || !processor_.IsControl(token)) kept.push_back(token);
    }
    std::string text;
    check(processor_.Decode(kept, &text), "tokens");
    return text;
  }

  sdk::Spelling token(int32_t token) const {
    return {processor_.IdToPiece(token), processor_.IsControl(token) ? TENON_TOKEN_SPECIAL : 0};
  }
  // The library takes what it does not find for the unknown token, and has no bounds for "".
  int32_t find(std::string_view spelling) const {
    if (spelling.empty()) return -1;
    const int token = processor_.PieceToId(spelling);
    return processor_.IdToPiece(token) == spelling ? token : -1;
  }

  const std::string& save() const { return file_; }

 private:
  SentencePiece(std::string_view file, const ModelFile& model)
      : file_(file),
        symbols_(model.pieces()),
        // The library counts bytes of what it has normalised as int; 3 are those of a space.
        longest_text_((INT32_MAX - 3) / model.growth()) {
    check(processor_.LoadFromSerializedProto(model.text()), "file");
  }

  static void check(const ::sentencepiece::util::Status& status, const char* operand) {
    if (status.ok()) return;
    throw sdk::Failure{TENON_E_DATA, std::string("SentencePiece: ") + status.error_message(),
                       operand};
  }

  void append(std::string_view text, std::vector<int32_t>& tokens) const {
    std::vector<int> part;
    check(processor_.Encode(text, &part), "text");
    tokens.insert(tokens.end(), part.begin(), part.end());
  }

  // The library never takes a text's characters for a control symbol. What is between two symbols
  // is a text of its own.
  void append_with_symbols(std::string_view text, std::vector<int32_t>& tokens) const {
    size_t start = 0;
    for (size_t at = 0; at < text.size();) {
      const auto [length, token] = symbols_.at_start_of(text.substr(at));
      if (length == 0) {
        at += 1;
        continue;
      }
      append(text.substr(start, at - start), tokens);
      tokens.push_back(token);
      at += length;
      start = at;
    }
    append(text.substr(start), tokens);
  }

  // begin, end  -1: none
  static std::vector<int32_t> between(std::vector<int32_t> tokens, int32_t begin, int32_t end,
                                      int64_t limit) {
    const size_t room = sdk::room_beside((begin >= 0 ? 1 : 0) + (end >= 0 ? 1 : 0), limit);
    if (tokens.size() > room) tokens.resize(room);
    if (begin >= 0) tokens.insert(tokens.begin(), begin);
    if (end >= 0) tokens.push_back(end);
    return tokens;
  }

  std::string file_;
  ControlSymbols symbols_;
  uint64_t longest_text_;
  ::sentencepiece::SentencePieceProcessor processor_;
};

using namespace std::string_view_literals;

// A model as the library writes it, with a piece a line: its text, score and type.
constexpr std::string_view kSampleFile =
    "\n\x09\n\x05<unk>\x18\x02"
    "\n\x07\n\x03<s>\x18\x03"
    "\n\x08\n\x04</s>\x18\x03"
    "\n\x0A\n\x03\xE2\x96\x81\x15\0\0\x80\xBF"
    "\n\x08\n\x01"
    "a\x15\0\0\0\xC0"
    "\n\x08\n\x01"
    "b\x15\0\0\0\xC0"
    "\n\x0C\n\x05\xE2\x96\x81"
    "ab\x15\0\0\x80\xBF"sv;

constexpr tenon_tokenizer_sample kSamples[] = {
    sdk::tokenizer_sample({.file = kSampleFile, .text = "ab a b", .tokens = "6 3 4 3 5"}),
    sdk::tokenizer_sample(
        {.file = kSampleFile, .text = " ab  abc ", .tokens = "6 6 0", .lossy = true}),
    sdk::tokenizer_sample({.file = kSampleFile, .text = "", .tokens = ""}),
    sdk::refused_tokenizer({.text = ""}, TENON_E_ATTRIBUTE, "none was given"),
    sdk::refused_tokenizer({.file = "", .text = ""}, TENON_E_DATA, "for what is unknown"),
    sdk::refused_tokenizer({.file = kSampleFile.substr(0, 60), .text = ""}, TENON_E_DATA,
                           "it is cut off")};

constexpr tenon_tokenizer_desc kTokenizers[] = {sdk::tokenizer<SentencePiece>(
    {.name = "tenon.sentencepiece",
     .doc =
         "A model of the SentencePiece library: unigram, byte pairs, words or characters. With "
         "ADD_SPECIAL a text stands between the model's begin and end tokens, where it has them. "
         "With READ_SPECIAL a control symbol that is spelt in a text is that token, and what "
         "is between two of them is encoded as a text of its own; user defined symbols are "
         "always read.",
     .endings = ".model",
     .samples = kSamples})};

}  // namespace

TENON_UNIT(sentencepiece) = {.tokenizers = kTokenizers};
