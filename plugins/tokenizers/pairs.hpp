// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizers/pairs.hpp: byte pairs that were learnt: the 256 bytes, and merges of two
// tokens each (P. Gage, "A New Algorithm for Data Compression", 1994; R. Sennrich, B. Haddow, A.
// Birch, "Neural Machine Translation of Rare Words with Subword Units", ACL 2016). Every text can
// be encoded.
//
// Merges stay within words: a run of letters, of digits or of other signs, with the one space
// before it; every further whitespace stands alone. No word is longer than 256 bytes.
#pragma once

#include <tenon/sdk/plugin/base.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "line_file.hpp"

namespace tenon::tokenizers {

using Token = int32_t;
using TokenPair = std::pair<Token, Token>;

inline constexpr Token kByteTokens = 256;
inline constexpr size_t kLongestWord = 256;
inline constexpr std::string_view kPairsTitle = "tenon-pairs 1";

// The words of a text, one after the other, that merges do not cross. Bytes from 128 on count as
// letters, so that the characters of UTF-8 stay whole.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  // Empty at the end.
  std::string_view next() {
    if (rest_.empty()) return {};
    size_t length = 1;
    const bool has_space = rest_[0] == ' ' && rest_.size() > 1 && kind(rest_[1]) != kSpace;
    const Kind kind_of_word = kind(rest_[has_space ? 1 : 0]);
    if (has_space) length = 2;
    while (kind_of_word != kSpace && length < std::min(rest_.size(), kLongestWord) &&
           kind(rest_[length]) == kind_of_word) {
      length += 1;
    }
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }

 private:
  enum Kind { kSpace, kLetter, kDigit, kOther };
  static Kind kind(char c) {
    if (c == ' ' || (c >= '\t' && c <= '\r')) return kSpace;
    if (c >= '0' && c <= '9') return kDigit;
    const auto lower = static_cast<unsigned char>(c | 0x20);
    return static_cast<unsigned char>(c) >= 0x80 || (lower >= 'a' && lower <= 'z') ? kLetter
                                                                                   : kOther;
  }
  std::string_view rest_;
};

inline uint64_t key_of(TokenPair pair) {
  return static_cast<uint64_t>(pair.first) << 32 | static_cast<uint64_t>(pair.second);
}

// One word's tokens: every `pair` becomes `token`, from the left.
inline void merge_pair(std::vector<Token>& tokens, TokenPair pair, Token token) {
  size_t kept = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool fits =
        i + 1 < tokens.size() && tokens[i] == pair.first && tokens[i + 1] == pair.second;
    tokens[kept++] = fits ? token : tokens[i];
    i += fits ? 1 : 0;
  }
  tokens.resize(kept);
}

class Pairs {
 public:
  // Merges in the order they were learnt; none: the tokens are bytes.
  // errors   TENON_E_DATA: a merge of tokens that are not there, twice the same, too long a token
  explicit Pairs(std::span<const TokenPair> merges = {}) {
    for (int byte = 0; byte < kByteTokens; ++byte) {
      pieces_.emplace_back(1, static_cast<char>(byte));
    }
    for (const TokenPair& merge : merges) add_merge(merge);
  }

  // Reads what file_text() writes; every byte counts.
  // errors   TENON_E_DATA, with the line
  static Pairs parse(std::string_view file) {
    Pairs made;
    read_lines(file, kPairsTitle, [&](std::string_view row) {
      if (made.size() == kMaxTokens) throw sdk::Failure{.what = "there are too many tokens"};
      made.parse_merge(row);
    });
    return made;
  }

  std::string file_text() const {
    std::string all = std::string(kPairsTitle) + '\n';
    for (const auto& [left, right] : merges_) {
      all += std::to_string(left) + ' ' + std::to_string(right) + '\n';
    }
    return all;
  }

  Token size() const { return static_cast<Token>(pieces_.size()); }
  const std::string& piece(Token token) const { return pieces_[static_cast<size_t>(token)]; }

  // -1: none.
  Token find(std::string_view piece) const {
    const auto found = std::ranges::find(pieces_, piece);
    return found == pieces_.end() ? -1 : static_cast<Token>(found - pieces_.begin());
  }

  // Equal words are encoded once.
  std::vector<Token> encode(std::string_view text, int64_t limit = INT64_MAX) const {
    std::unordered_map<std::string_view, std::vector<Token>> known;
    std::vector<Token> out;
    Words words(text);
    for (std::string_view word = words.next();
         !word.empty() && static_cast<int64_t>(out.size()) < limit; word = words.next()) {
      const auto [at, is_new] = known.try_emplace(word);
      if (is_new) at->second = encode_word(word);
      out.insert(out.end(), at->second.begin(), at->second.end());
    }
    if (static_cast<int64_t>(out.size()) > limit) out.resize(static_cast<size_t>(limit));
    return out;
  }

  // Each is from 0 to size() - 1.
  std::string decode(std::span<const Token> tokens) const {
    std::string text;
    for (const Token token : tokens) text += piece(token);
    return text;
  }

 private:
  void parse_merge(std::string_view row) {
    TokenPair merge;
    merge.first = take_number(row);
    const bool has_space = row.starts_with(' ');
    if (has_space) row.remove_prefix(1);
    merge.second = take_number(row);
    if (!has_space || !row.empty()) merge.first = -1;
    add_merge(merge);
  }

  void add_merge(TokenPair merge) {
    const auto [left, right] = merge;
    if (std::min(left, right) < 0 || std::max(left, right) >= size()) {
      throw sdk::Failure{.status = TENON_E_DATA,
                         .what = "this is not a merge",
                         .expected = "two tokens from 0 to " + std::to_string(size() - 1) +
                                     " with one space between"};
    }
    std::string joined = piece(left) + piece(right);
    const bool is_new = ranks_.try_emplace(key_of(merge), size()).second;
    if (!is_new || joined.size() > kLongestWord) {
      throw sdk::Failure{.status = TENON_E_DATA,
                         .what = is_new ? "the token is too long" : "the pair is merged already",
                         .expected = is_new ? "at most " + std::to_string(kLongestWord) + " bytes"
                                            : "another pair"};
    }
    pieces_.push_back(std::move(joined));
    merges_.push_back(merge);
  }

  // The merge learnt first is done first, wherever it stands.
  std::vector<Token> encode_word(std::string_view word) const {
    std::vector<Token> tokens;
    for (const char byte : word) tokens.push_back(static_cast<unsigned char>(byte));
    for (;;) {
      Token best = size();
      for (size_t i = 0; i + 1 < tokens.size(); ++i) {
        const auto found = ranks_.find(key_of({tokens[i], tokens[i + 1]}));
        if (found != ranks_.end()) best = std::min(best, found->second);
      }
      if (best == size()) return tokens;
      merge_pair(tokens, merges_[static_cast<size_t>(best - kByteTokens)], best);
    }
  }

  std::vector<std::string> pieces_;  // the bytes of each token
  std::vector<TokenPair> merges_;
  std::unordered_map<uint64_t, Token> ranks_;  // the token that a pair becomes
};

}  // namespace tenon::tokenizers
