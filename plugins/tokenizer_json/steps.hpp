// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/steps.hpp: the steps from a text to the words that a model knows, and from
// spellings back to a text. They mean what the package `tokenizers` means by these names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pattern.hpp"

namespace tenon::tokenizer_json {

// ---- Normalisers: a text becomes another one ----------------------------------------------------

struct Normalized {
  std::string text;
  bool has_first = true;  // it begins with what the first character became
  size_t before = 0;      // bytes before the last character that counts as the first one
};
using Normalizer = std::function<void(Normalized& text)>;
// keeps_first  of a text that is not empty; null: always
Normalizer normalizer(std::function<std::string(std::string)> change,
                      std::function<bool(std::string_view)> keeps_first = nullptr);

struct BertCleaning {
  bool clean = true;       // white space becomes ' ', controls go
  bool ideographs = true;  // spaces around each Chinese character
  bool strip_accents = true;
  bool lower_case = true;
};
Normalizer prepending(const std::string& start);
Normalizer without_accents();
Normalizer strip(bool left, bool right);
// Controls go, several kinds of white space become ' ' (of "neural machine translation").
Normalizer nmt();
// The rules that a model of SentencePiece carries; in base64.
// errors   TENON_E_DATA: damaged rules; TENON_E_UNSUPPORTED: too many
Normalizer precompiled(std::string_view rules);
Normalizer bert_normalizer(const BertCleaning& cleaning);
Normalizer in_sequence(std::vector<Normalizer> steps);
std::string stripped(std::string_view text, bool left, bool right);

// Each byte as the character that stands for it in byte-level vocabularies, and back; nothing if a
// character stands for none.
std::string bytes_as_characters(std::string_view bytes);
std::optional<std::string> characters_as_bytes(std::string_view characters);

// ---- Splitters: a text is cut -------------------------------------------------------------------

struct Piece {
  std::string text;
  int32_t token = -1;  // of an added token; -1: still to be cut
  // Until where it is what the first character of the whole text became; -1: it is not.
  int64_t first_until = -1;

  int64_t first_until_from(size_t begin) const {
    return std::max<int64_t>(-1, first_until - static_cast<int64_t>(begin));
  }
  void prepend(const std::string& start) {
    text = start + text;
    if (first_until >= 0) first_until += static_cast<int64_t>(start.size());
  }
};
using Splitter = std::function<void(std::vector<Piece>& pieces)>;

Splitter splitter(Cutter cutter, Behavior behavior, bool invert = false);
Splitter bert_splitter();
Splitter byte_level(bool add_prefix_space, bool use_regex);
enum class Prepend { kAlways, kFirst, kNever };
Splitter metaspace(const std::string& replacement, Prepend prepend, bool split);

// Applies `change` to every text that is not a token.
void each_text(std::vector<Piece>& pieces,
               const std::function<std::string(const std::string&)>& change);

// ---- Decoders: spellings become others, and at last a text --------------------------------------

using Spellings = std::vector<std::string>;
using Decoder = std::function<Spellings(Spellings)>;

Decoder byte_level_decoder();
Decoder wordpiece_decoder(const std::string& prefix, bool cleanup);
Decoder suffix_decoder(const std::string& suffix);
Decoder metaspace_decoder(const std::string& replacement, Prepend prepend);
Decoder byte_fallback_decoder();
Decoder fuse_decoder();
// Of what a model says for each moment (A. Graves et al., "Connectionist Temporal Classification",
// ICML 2006): equal neighbours are one, `pad` is nothing; with `cleanup` also `delimiter` is ' '.
Decoder ctc_decoder(const std::string& pad, const std::string& delimiter, bool cleanup);
Decoder strip_decoder(const std::string& content, int64_t start, int64_t stop);
// Applies `change` to each spelling.
Decoder each_spelling(std::function<std::string(std::string_view)> change);

}  // namespace tenon::tokenizer_json
