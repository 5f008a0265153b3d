// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/utf8.hpp: code points of UTF-8, one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::sdk {

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

// Where `text` ceases to be UTF-8: the place of the first bad byte; its size if it is whole.
inline size_t utf8_until(std::string_view text) {
  std::string_view rest = text;
  while (take_code_point(rest) >= 0) {
  }
  return text.size() - rest.size();
}

}  // namespace tenon::sdk
