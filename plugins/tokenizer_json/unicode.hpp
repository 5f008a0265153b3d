// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/unicode.hpp: properties of characters and forms of texts, over utf8proc
// (which has the Unicode Character Database). All texts but one are UTF-8 that was checked.
#pragma once

#include <tenon/sdk/plugin/utf8.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tenon::tokenizer_json {

// Properties of a code point, by its general category and Unicode's PropList.
bool is_space(int32_t point);        // White_Space
bool is_number(int32_t point);       // Nd, Nl, No
bool is_mark(int32_t point);         // Mn, Mc, Me
bool is_nonspacing(int32_t point);   // Mn
bool is_word(int32_t point);         // Alphabetic, M, Nd, Pc, Join_Control
bool is_punctuation(int32_t point);  // P*, and the ASCII signs
bool is_control(int32_t point);      // Cc, Cf, Co; not tab and the ends of lines
bool is_ideograph(int32_t point);    // of Chinese, as BERT draws the line

enum class Form { kNfc, kNfd, kNfkc, kNfkd };
// UAX #15. Throws sdk::Failure.
std::string normal_form(std::string_view text, Form form);
std::string lower_case(std::string_view text);

std::string without(std::string_view text, bool (*is_left_out)(int32_t point));

// Bytes that are not UTF-8 as U+FFFD: one for each, but for the beginning of a character that is
// cut off (Unicode 15, 3.9, "maximal subparts").
std::string whole_characters(std::string_view bytes);

// Of a text that is not empty.
inline std::string_view first_character(std::string_view text) {
  std::string_view rest = text;
  sdk::take_code_point(rest);
  return text.substr(0, text.size() - rest.size());
}

// Calls visit(code point, its bytes) for each character.
template <class Visit>
void each_character(std::string_view text, Visit&& visit) {
  std::string_view rest = text;
  for (int32_t point = sdk::take_code_point(rest); point >= 0; point = sdk::take_code_point(rest)) {
    visit(point, text.substr(0, text.size() - rest.size()));
    text = rest;
  }
}

// What readers take for one character (UAX #29, extended grapheme clusters).
void each_cluster(std::string_view text,
                  const std::function<void(std::string_view cluster)>& visit);

}  // namespace tenon::tokenizer_json
