// SPDX-License-Identifier: Apache-2.0
// core/base/words.h: texts that are lists of words.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::base {

// The words of `text`, which `between` separates.
inline std::vector<std::string_view> words_of(std::string_view text, char between = ' ') {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(between));
    if (!word.empty()) words.push_back(word);
    text.remove_prefix(word.size() + (word.size() < text.size() ? 1 : 0));
  }
  return words;
}

// Whether `text` ends with `ending`, "a" and "A" being the same.
inline bool ends_like(std::string_view text, std::string_view ending) {
  const auto lower = [](char each) {
    return each >= 'A' && each <= 'Z' ? static_cast<char>(each - 'A' + 'a') : each;
  };
  if (text.size() < ending.size()) return false;
  return std::ranges::equal(text.substr(text.size() - ending.size()), ending, {}, lower, lower);
}

// Two digits for each byte, "0aff".
inline std::string hex_of(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

// The words for the items of `list`, with `between` between them. word: a function of an item, or a
// member of it.
template <class List, class Word>
std::string joined(const List& list, std::string_view between, const Word& word) {
  std::string text;
  bool first = true;
  for (const auto& item : list) {
    if (!first) text += between;
    text += std::invoke(word, item);
    first = false;
  }
  return text;
}

}  // namespace tenon::base
