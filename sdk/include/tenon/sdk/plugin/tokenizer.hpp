// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/tokenizer.hpp: text as numbers: bytes, characters, or byte pairs that were
// learnt.
//
// A token is a number from 0 to size - 1 and stands for some bytes. There are two kinds:
//
// characters    the code points that one text uses, in ascending order
// pairs         the 256 bytes, and merges of two tokens each that were learnt (P. Gage, "A New
//               Algorithm for Data Compression", 1994; R. Sennrich, B. Haddow, A. Birch, "Neural
//               Machine Translation of Rare Words with Subword Units", ACL 2016). Without merges:
//               bytes. Every text can be encoded.
//
// Their files are text, one line for each token, or each merge in the order they were learnt:
//
//   tenon-characters 1        tenon-pairs 1
//   <code point>              <left> <right>       merge k makes token 256 + k of two below it
//
// Merges stay within words: a run of letters, of digits or of other signs, with the one space
// before it; every further whitespace stands alone. No word is longer than 256 bytes.
#pragma once

#include <tenon/sdk/plugin/base.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tenon::sdk {

using Token = int32_t;
using TokenPair = std::pair<Token, Token>;

inline constexpr Token kByteTokens = 256;
inline constexpr Token kMaxTokens = Token{1} << 20;
inline constexpr size_t kLongestWord = 256;
inline constexpr std::string_view kCharactersTitle = "tenon-characters 1";
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

// The next code point of UTF-8; -1 if there is none: at the end, and for bytes that no encoder
// writes (cut off, too long, surrogates, past U+10FFFF). `text` then stays.
inline int32_t take_code_point(std::string_view& text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return -1;
  const unsigned char first = byte(0);
  const size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (first >= 0xF8 || (first >= 0x80 && first < 0xC0) || text.size() < length) return -1;
  int32_t point = length == 1 ? first : first & (0x7F >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return -1;
    point = point << 6 | (byte(i) & 0x3F);
  }
  constexpr int32_t least[] = {0, 0x80, 0x800, 0x10000};
  if (point < least[length - 1] || point > 0x10FFFF || (point >> 11) == 0x1B) return -1;
  text.remove_prefix(length);
  return point;
}

inline std::string utf8_of(int32_t point) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((point >> shift) & 0x3F)); };
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) return {static_cast<char>(0xC0 | point >> 6), tail(0)};
  if (point < 0x10000) return {static_cast<char>(0xE0 | point >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | point >> 18), tail(12), tail(6), tail(0)};
}

class Tokenizer {
 public:
  // Merges in the order they were learnt; none: the tokens are bytes.
  // errors   TENON_E_DATA: a merge of tokens that are not there, twice the same, too long a token
  static Tokenizer pairs(std::vector<TokenPair> merges) {
    Tokenizer made;
    for (int byte = 0; byte < kByteTokens; ++byte) {
      made.pieces_.emplace_back(1, static_cast<char>(byte));
    }
    for (const TokenPair& merge : merges) made.add_merge(merge);
    made.merges_ = std::move(merges);
    return made;
  }

  // Those of `text`.
  // errors   TENON_E_DATA: it is not UTF-8
  static Tokenizer characters(std::string_view text) {
    std::set<int32_t> points;
    for (std::string_view rest = text; !rest.empty();) points.insert(must_take(text, rest));
    Tokenizer made;
    made.has_characters_ = true;
    for (const int32_t point : points) made.add_character(point);
    return made;
  }

  // Reads what file_text() writes; every byte counts.
  // errors   TENON_E_DATA, with the line
  static Tokenizer parse(std::string_view file) {
    size_t line = 1;
    const std::string_view title = take_line(file, line);
    const bool has_characters = title == kCharactersTitle;
    if (!has_characters && title != kPairsTitle) {
      refuse_line(line, "it is not a tokenizer",
                  "'" + std::string(kPairsTitle) + "' or '" + std::string(kCharactersTitle) + "'");
    }
    Tokenizer made = has_characters ? characters("") : pairs({});
    while (!file.empty()) {
      const std::string_view row = take_line(file, ++line);
      try {
        if (made.size() == kMaxTokens) throw Failure{.what = "there are too many tokens"};
        has_characters ? made.parse_character(row) : made.parse_merge(row);
      } catch (const Failure& failure) {
        refuse_line(line, failure.what, failure.expected);
      }
    }
    return made;
  }

  std::string file_text() const {
    std::string all(has_characters_ ? kCharactersTitle : kPairsTitle);
    all += '\n';
    for (const auto& [point, token] : points_) all += std::to_string(point) + '\n';
    for (const auto& [left, right] : merges_) {
      all += std::to_string(left) + ' ' + std::to_string(right) + '\n';
    }
    return all;
  }

  Token size() const { return static_cast<Token>(pieces_.size()); }

  // errors   TENON_E_DATA: characters that are not tokens, with their place
  std::vector<Token> encode(std::string_view text) const {
    return has_characters_ ? encode_characters(text) : encode_pairs(text);
  }

  // errors   TENON_E_DATA: a number that is not a token
  std::string decode(std::span<const Token> tokens) const {
    std::string text;
    for (const Token token : tokens) {
      if (token < 0 || token >= size()) {
        throw Failure{TENON_E_DATA,
                      "this is not a token: expected 0 to " + std::to_string(size() - 1) +
                          ", found " + std::to_string(token),
                      "tokens", "0 to " + std::to_string(size() - 1), std::to_string(token)};
      }
      text += pieces_[static_cast<size_t>(token)];
    }
    return text;
  }

 private:
  Tokenizer() = default;

  [[noreturn]] static void refuse_line(size_t line, const std::string& what,
                                       const std::string& expected) {
    throw Failure{TENON_E_DATA,
                  "line " + std::to_string(line) + ": " + what +
                      (expected.empty() ? "" : ": expected " + expected),
                  "",
                  expected,
                  "",
                  "make the file again with `tenon tokenizer train`"};
  }

  static std::string_view take_line(std::string_view& file, size_t line) {
    const size_t end = file.find('\n');
    if (end == std::string_view::npos) {
      refuse_line(line, "the file is cut off", "a line that ends in a line feed");
    }
    const std::string_view row = file.substr(0, end);
    file.remove_prefix(end + 1);
    return row;
  }

  // `all` and what is left of it are for the place in the message.
  static int32_t must_take(std::string_view all, std::string_view& rest) {
    const int32_t point = take_code_point(rest);
    if (point >= 0) return point;
    const std::string at = std::to_string(all.size() - rest.size());
    throw Failure{TENON_E_DATA, "the text is not UTF-8 from byte " + at + " on",
                  "",           "UTF-8",
                  "",           "use bytes or byte pairs for it"};
  }

  // An integer as to_string() writes it, moving `row` past it; -1 for anything else, also for
  // "007" and "-0": each tokenizer has one file.
  static int32_t take_number(std::string_view& row) {
    int32_t number = -1;
    const char* const end = row.data() + row.size();
    const auto [behind, error] = std::from_chars(row.data(), end, number);
    const auto length = static_cast<size_t>(behind - row.data());
    if (error != std::errc() || number < 0 || row.substr(0, length) != std::to_string(number)) {
      return -1;
    }
    row.remove_prefix(length);
    return number;
  }

  void parse_merge(std::string_view row) {
    TokenPair merge;
    merge.first = take_number(row);
    const bool has_space = row.starts_with(' ');
    if (has_space) row.remove_prefix(1);
    merge.second = take_number(row);
    if (!has_space || !row.empty()) merge.first = -1;
    add_merge(merge);
    merges_.push_back(merge);
  }

  void parse_character(std::string_view row) {
    const int32_t point = take_number(row);
    const std::string bytes = point < 0 || point > 0x10FFFF ? "" : utf8_of(point);
    std::string_view back = bytes;
    const bool is_after = points_.empty() || point > points_.rbegin()->first;
    if (!row.empty() || !is_after || take_code_point(back) != point || point < 0) {
      throw Failure{.what = "this is not a character",
                    .expected = "the number of a code point above the line before"};
    }
    add_character(point);
  }

  void add_character(int32_t point) {
    points_[point] = size();
    pieces_.push_back(utf8_of(point));
  }

  void add_merge(TokenPair merge) {
    const auto [left, right] = merge;
    if (std::min(left, right) < 0 || std::max(left, right) >= size()) {
      throw Failure{.status = TENON_E_DATA,
                    .what = "this is not a merge",
                    .expected = "two tokens from 0 to " + std::to_string(size() - 1) +
                                " with one space between"};
    }
    std::string piece = pieces_[static_cast<size_t>(left)] + pieces_[static_cast<size_t>(right)];
    const bool is_new = ranks_.try_emplace(key_of(merge), size()).second;
    if (!is_new || piece.size() > kLongestWord) {
      throw Failure{.status = TENON_E_DATA,
                    .what = is_new ? "the token is too long" : "the pair is merged already",
                    .expected = is_new ? "at most " + std::to_string(kLongestWord) + " bytes"
                                       : "another pair"};
    }
    pieces_.push_back(std::move(piece));
  }

  std::vector<Token> encode_characters(std::string_view text) const {
    std::vector<Token> out;
    for (std::string_view rest = text; !rest.empty();) {
      const std::string at = std::to_string(text.size() - rest.size());
      const int32_t point = must_take(text, rest);
      const auto found = points_.find(point);
      if (found == points_.end()) {
        throw Failure{TENON_E_DATA,
                      "the character " + std::to_string(point) + " at byte " + at +
                          " is not a token of this tokenizer",
                      "",
                      "characters of the text it was made of",
                      std::to_string(point),
                      "make it of all the text, or use byte pairs"};
      }
      out.push_back(found->second);
    }
    return out;
  }

  // Equal words are encoded once.
  std::vector<Token> encode_pairs(std::string_view text) const {
    std::unordered_map<std::string_view, std::vector<Token>> known;
    std::vector<Token> out;
    Words words(text);
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      const auto [at, is_new] = known.try_emplace(word);
      if (is_new) at->second = encode_word(word);
      out.insert(out.end(), at->second.begin(), at->second.end());
    }
    return out;
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
  bool has_characters_ = false;                // its tokens are characters, not pairs
  std::map<int32_t, Token> points_;            // the token of each character
};

}  // namespace tenon::sdk
