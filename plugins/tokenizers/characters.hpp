// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizers/characters.hpp: the characters that one text has, as tokens. The file is text:
// the title, then a line for each code point, in ascending order:
//
//   tenon-characters 1
//   <code point>
#pragma once

#include <tenon/sdk/plugin/tokenizer.hpp>
#include <tenon/sdk/plugin/utf8.hpp>

#include <set>

#include "line_file.hpp"

namespace tenon::tokenizers {

inline constexpr std::string_view kCharactersTitle = "tenon-characters 1";

class Characters {
 public:
  Characters(const sdk::Attrs& options, const sdk::TokenizerFile& file) {
    if (is_read(file, options)) {
      read_lines(*file, kCharactersTitle, [&](std::string_view row) { add(parse(row)); });
      return;
    }
    const std::string_view text = options.text(0);
    std::set<int32_t> points;
    for (std::string_view rest = text; !rest.empty();) points.insert(must_take(text, rest));
    points_.assign(points.begin(), points.end());
  }

  tenon_tokenizer_info info() const {
    return sdk::tokenizer_info(static_cast<int64_t>(points_.size()));
  }

  std::vector<int32_t> encode(std::string_view text, uint32_t, int64_t limit) const {
    std::vector<int32_t> tokens;
    for (std::string_view rest = text;
         !rest.empty() && static_cast<int64_t>(tokens.size()) < limit;) {
      const size_t at = text.size() - rest.size();
      const int32_t point = must_take(text, rest);
      const int32_t token = token_of(point);
      if (token < 0) refuse_character(point, at);
      tokens.push_back(token);
    }
    return tokens;
  }

  std::string decode(std::span<const int32_t> tokens, uint32_t) const {
    std::string text;
    for (const int32_t token : tokens) text += sdk::utf8_of(points_[static_cast<size_t>(token)]);
    return text;
  }

  sdk::Spelling token(int32_t token) const {
    return {sdk::utf8_of(points_[static_cast<size_t>(token)]), 0};
  }
  int32_t find(std::string_view spelling) const {
    const int32_t point = sdk::take_code_point(spelling);
    return point < 0 || !spelling.empty() ? -1 : token_of(point);
  }

  std::string save() const {
    std::string all = std::string(kCharactersTitle) + '\n';
    for (const int32_t point : points_) all += std::to_string(point) + '\n';
    return all;
  }

 private:
  // `all` and what is left of it are for the place in the message.
  static int32_t must_take(std::string_view all, std::string_view& rest) {
    const int32_t point = sdk::take_code_point(rest);
    if (point >= 0) return point;
    const std::string at = std::to_string(all.size() - rest.size());
    throw sdk::Failure{TENON_E_DATA, "the text is not UTF-8 from byte " + at + " on",
                       "text",       "UTF-8",
                       "",           "use bytes or byte pairs for it"};
  }

  [[noreturn]] static void refuse_character(int32_t point, size_t at) {
    throw sdk::Failure{TENON_E_DATA,
                       "the character " + std::to_string(point) + " at byte " + std::to_string(at) +
                           " is not a token of this tokenizer",
                       "text",
                       "characters of the text it was made of",
                       std::to_string(point),
                       "make it of all the text, or use byte pairs"};
  }

  static int32_t parse(std::string_view row) {
    const int32_t point = take_number(row);
    std::string bytes = point < 0 || point > 0x10FFFF ? "" : sdk::utf8_of(point);
    std::string_view back = bytes;
    if (row.empty() && point >= 0 && sdk::take_code_point(back) == point) return point;
    return -1;
  }

  void add(int32_t point) {
    if (point < 0 || (!points_.empty() && point <= points_.back())) {
      throw sdk::Failure{.what = "this is not a character",
                         .expected = "the number of a code point above the line before"};
    }
    points_.push_back(point);
  }

  int32_t token_of(int32_t point) const {
    const auto found = std::ranges::lower_bound(points_, point);
    if (found == points_.end() || *found != point) return -1;
    return static_cast<int32_t>(found - points_.begin());
  }

  std::vector<int32_t> points_;  // of each token, ascending
};

}  // namespace tenon::tokenizers
