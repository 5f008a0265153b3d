// SPDX-License-Identifier: Apache-2.0
// core/base/words.h: a text that is a list of words.
#pragma once

#include <string_view>
#include <vector>

namespace tenon::base {

// The words of `text`, which spaces separate.
inline std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (!word.empty()) words.push_back(word);
    text.remove_prefix(word.size() + (word.size() < text.size() ? 1 : 0));
  }
  return words;
}

}  // namespace tenon::base
