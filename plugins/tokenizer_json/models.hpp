// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/models.hpp: what makes tokens of a word: byte pairs, pieces of words, the
// likeliest pieces, or whole words.
#pragma once

#include <tenon/sdk/plugin/base.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tenon::tokenizer_json {

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

// Tokens by spelling and by number.
class Vocabulary {
 public:
  // errors   TENON_E_DATA: a number twice, a spelling twice, or numbers with wide gaps
  void add(std::string spelling, int64_t token);
  int32_t find(std::string_view spelling) const;  // -1: none
  // As `find`, of what a model sees: no token that was added beside it, and none that is special
  // unless `with_special`.
  int32_t find_word(std::string_view spelling, bool with_special) const {
    const int32_t token = find(spelling);
    const bool hidden = beside_.contains(token) || (!with_special && is_special(token));
    return hidden ? -1 : token;
  }
  void set_beside_model(int32_t token) { beside_.insert(token); }
  void set_special(int32_t token) { special_.insert(token); }
  bool is_special(int32_t token) const { return special_.contains(token); }
  // Empty for numbers that are free.
  const std::string& spelling(int32_t token) const;
  int32_t size() const { return static_cast<int32_t>(spellings_.size()); }

 private:
  std::unordered_map<std::string, int32_t, TextHash, std::equal_to<>> tokens_;
  std::vector<std::string> spellings_;
  std::unordered_set<int32_t> beside_, special_;
};

// "<0x0A>": how vocabularies that have the bytes spell them.
std::string spelling_of_byte(unsigned char byte);

// A word, or a part of one, for which there is no token.
[[noreturn]] void refuse_unknown_text(std::string_view text);

class Model {
 public:
  virtual ~Model() = default;
  // Appends the tokens of a word: special ones, which the word may spell, only `with_special`, but
  // for the unknown token and bytes.
  virtual void encode(std::string_view word, bool with_special,
                      std::vector<int32_t>& tokens) const = 0;
};

struct BytePairs {
  std::vector<std::pair<std::string, std::string>> merges;  // by rank
  std::string unknown;                                      // empty: none
  std::string prefix;  // before a character that does not begin a word
  std::string suffix;  // after the one that ends it
  bool fuse_unknown = false;
  bool byte_fallback = false;
  bool ignore_merges = false;  // a word that is a token is that token
};
// errors   TENON_E_DATA: a merge of what is not in the vocabulary
std::unique_ptr<Model> byte_pairs(const Vocabulary& vocabulary, const BytePairs& settings);

// Tokens are bytes, which need not be UTF-8, and their numbers are the ranks of merges.
std::unique_ptr<Model> byte_ranks(const Vocabulary& vocabulary);

struct WordPieces {
  std::string unknown = "[UNK]";
  std::string prefix = "##";   // before a piece that does not begin a word
  int64_t longest_word = 100;  // in characters; a longer one is unknown
};
// errors   TENON_E_DATA: no token for the unknown; TENON_E_UNSUPPORTED: words beyond all measure
std::unique_ptr<Model> word_pieces(const Vocabulary& vocabulary, const WordPieces& settings);

struct Unigrams {
  std::vector<std::pair<int32_t, double>> scores;  // tokens and the logarithm of how often they are
  int32_t unknown = -1;
  bool byte_fallback = false;
};
// errors   TENON_E_UNSUPPORTED: a token that is too long
std::unique_ptr<Model> unigrams(const Vocabulary& vocabulary, const Unigrams& settings);

// Words that are tokens; others are the unknown one, or TENON_E_DATA where there is none.
std::unique_ptr<Model> whole_words(const Vocabulary& vocabulary, const std::string& unknown);

}  // namespace tenon::tokenizer_json
