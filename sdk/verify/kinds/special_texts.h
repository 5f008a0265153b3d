// SPDX-License-Identifier: Apache-2.0
// sdk/verify/kinds/special_texts.h: texts in which a special token is spelt, or nearly so. Where
// special tokens are not to be read, none may come of them (docs/data.md, READ_SPECIAL).
//
// A tokenizer can go wrong where it looks for special tokens, where its model makes one of a word,
// of merges or of a character, and where it changes a text first: what was none becomes one when
// case, accents, widths or characters without a width are taken away.
#pragma once

#include <tenon/sdk/plugin/utf8.hpp>

#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::verify {

namespace special_texts_detail {

using Characters = std::vector<std::string>;

// A byte that is no character counts as one.
inline Characters characters_of(std::string_view text) {
  Characters characters;
  while (!text.empty()) {
    std::string_view rest = text;
    if (sdk::take_code_point(rest) < 0) rest.remove_prefix(1);
    characters.emplace_back(text.substr(0, text.size() - rest.size()));
    text = rest;
  }
  return characters;
}

inline std::string joined(const Characters& characters, size_t begin, size_t end,
                          std::string_view between = "") {
  std::string text;
  for (size_t i = begin; i < end; ++i) {
    if (i > begin) text += between;
    text += characters[i];
  }
  return text;
}

// A text in two, between characters.
struct Halves {
  explicit Halves(std::string_view text) {
    const Characters all = characters_of(text);
    head = joined(all, 0, all.size() / 2);
    tail = joined(all, all.size() / 2, all.size());
  }
  std::string head, tail;
};

// `change` of each character.
template <class Change>
std::string each_character(std::string_view text, Change&& change) {
  std::string changed;
  for (const std::string& each : characters_of(text)) changed += change(each);
  return changed;
}

inline bool is_letter(const std::string& character) {
  return character.size() == 1 && std::isalpha(static_cast<unsigned char>(character[0])) != 0;
}

// By a function of <cctype>, ASCII alone.
inline std::string with_case(std::string_view text, int (*change)(int)) {
  return each_character(text, [&](const std::string& each) {
    return is_letter(each) ? std::string(1, static_cast<char>(change(each[0]))) : each;
  });
}

// U+FF01 to U+FF5E and U+3000, of which NFKC makes ASCII.
inline std::string full_width(std::string_view text) {
  return each_character(text, [](const std::string& each) {
    if (each == " ") return sdk::utf8_of(0x3000);
    const bool has_one = each.size() == 1 && each[0] > ' ' && each[0] < '\x7F';
    return has_one ? sdk::utf8_of(0xFF01 + each[0] - '!') : each;
  });
}

// Letters of mathematics, which NFKC takes for plain ones.
inline std::string bold(std::string_view text) {
  return each_character(text, [](const std::string& each) {
    if (!is_letter(each)) return each;
    const bool is_lower = each[0] >= 'a';
    return sdk::utf8_of(is_lower ? 0x1D41A + each[0] - 'a' : 0x1D400 + each[0] - 'A');
  });
}

// Letters with a mark, of a few that are common: the letter, then the mark. NFC takes that back.
inline std::string decomposed(std::string_view text) {
  constexpr std::pair<int32_t, std::pair<char, int32_t>> forms[] = {
      {0xE0, {'a', 0x300}}, {0xE1, {'a', 0x301}}, {0xE4, {'a', 0x308}}, {0xE7, {'c', 0x327}},
      {0xE8, {'e', 0x300}}, {0xE9, {'e', 0x301}}, {0xEA, {'e', 0x302}}, {0xF1, {'n', 0x303}},
      {0xF6, {'o', 0x308}}, {0xFC, {'u', 0x308}}};
  return each_character(text, [&](const std::string& each) {
    for (const auto& [whole, parts] : forms) {
      if (each == sdk::utf8_of(whole)) return parts.first + sdk::utf8_of(parts.second);
    }
    return each;
  });
}

// As byte fallback spells it: <0x3C><0x73><0x3E>.
inline std::string spelt_bytes(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string all;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    all += {'<', '0', 'x', digits[byte >> 4], digits[byte & 15], '>'};
  }
  return all;
}

inline std::string exchanged(std::string_view text, const std::string& one,
                             const std::string& other) {
  return each_character(text, [&](const std::string& each) {
    return each == one ? other : each == other ? one : each;
  });
}

inline constexpr char kWordStart[] = "\xE2\x96\x81";  // U+2581, for a space before a word
inline constexpr char kByteSpace[] = "\xC4\xA0";      // U+0120, the same as a byte

// What may stand before and after a token.
inline std::vector<std::pair<std::string, std::string>> sides_in(const std::string& text) {
  const Halves around(text);
  const std::string no_break = sdk::utf8_of(0xA0), ideographic = sdk::utf8_of(0x3000);
  return {{"", ""},
          {" ", ""},
          {"", " "},
          {" ", " "},
          {"   ", "   "},
          {"\n", ""},
          {"", "\n"},
          {"\n", "\n"},
          {"\r\n", "\r\n"},
          {"\t", ""},
          {"", "\t"},
          {"\t", "\t"},
          {no_break, no_break},
          {ideographic, ideographic},
          {"a", ""},
          {"", "a"},
          {"a", "b"},
          {"a ", " b"},
          {"1", "2"},
          {"_", "_"},
          {"(", ")"},
          {"\"", "\"."},
          {kWordStart, ""},
          {"", kWordStart},
          {kWordStart, kWordStart},
          {kByteSpace, ""},
          {"", kByteSpace},
          {"##", ""},
          {"", "</w>"},
          {text, ""},
          {"", text},
          {text, text},
          {text + " ", " " + text},
          {around.head, around.tail}};
}

}  // namespace special_texts_detail

// Some 60 texts. `token` and `other` are the spellings of special tokens, `text` is any text that
// the tokenizer takes.
inline std::vector<std::string> special_texts(const std::string& token, const std::string& other,
                                              const std::string& text) {
  using namespace special_texts_detail;
  using namespace std::string_literals;
  const Characters characters = characters_of(token);
  const Halves own(token), another(other);
  std::vector<std::string> texts;
  for (const auto& [before, after] : sides_in(text)) texts.push_back(before + token + after);
  // Beside and within special tokens.
  texts.insert(texts.end(), {token + token, token + " " + token, token + other, other + token,
                             own.head + other, other + own.tail, own.head + token + own.tail,
                             own.head + other + own.tail, own.head + another.tail});
  // With something within: a space, the end of a line, NUL, a soft hyphen, characters without a
  // width, a mark that belongs to the character before it.
  for (const std::string& within :
       {" "s, "\n"s, "\0"s, sdk::utf8_of(0xAD), sdk::utf8_of(0x200B), sdk::utf8_of(0x200D),
        sdk::utf8_of(0xFEFF), sdk::utf8_of(0xFE0F), sdk::utf8_of(0x338)}) {
    texts.push_back(own.head + within + own.tail);
  }
  texts.push_back(joined(characters, 0, characters.size(), " "));
  texts.push_back(joined(characters, 0, characters.size(), sdk::utf8_of(0x301)));
  // In other characters.
  texts.insert(texts.end(), {with_case(token, std::toupper), with_case(token, std::tolower),
                             full_width(token), bold(token), decomposed(token), spelt_bytes(token),
                             exchanged(token, " ", kWordStart), exchanged(token, " ", kByteSpace)});
  return texts;
}

// <0x41>: a token that stands for a byte, which any text may have.
inline bool is_byte_spelling(std::string_view spelling) {
  return spelling.size() == 6 && spelling.starts_with("<0x") && spelling.ends_with('>') &&
         std::isxdigit(static_cast<unsigned char>(spelling[3])) != 0 &&
         std::isxdigit(static_cast<unsigned char>(spelling[4])) != 0;
}

}  // namespace tenon::verify
