// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/unicode.cc: properties of characters and forms of texts.
#include "unicode.hpp"

#include <tenon/sdk/plugin/base.hpp>

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <vector>

namespace tenon::tokenizer_json {
namespace {

utf8proc_category_t category(int32_t point) { return utf8proc_category(point); }

bool is_one_of(int32_t point, std::initializer_list<utf8proc_category_t> categories) {
  return std::ranges::find(categories, category(point)) != categories.end();
}

struct Character {
  int32_t point;
  int combining;  // its class
};

// The whole decomposition, marks in canonical order. utf8proc's own ordering takes time with the
// square of a run of marks, which a hostile text may make as long as it likes.
std::vector<int32_t> decomposed(std::string_view text, bool compatible) {
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE |
                                                      (compatible ? UTF8PROC_COMPAT : 0));
  std::vector<Character> all;
  std::array<utf8proc_int32_t, 32> parts{};
  each_character(text, [&](int32_t point, std::string_view) {
    const auto count = utf8proc_decompose_char(
        point, parts.data(), static_cast<utf8proc_ssize_t>(parts.size()), options, nullptr);
    if (count < 0 || static_cast<size_t>(count) > parts.size()) {
      throw sdk::Failure{TENON_E_DATA, "a character cannot be decomposed", "text", "", ""};
    }
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      all.push_back({parts[i], utf8proc_get_property(parts[i])->combining_class});
    }
  });
  for (auto run = all.begin(); run != all.end();) {
    const auto start = std::find_if(run, all.end(), [](auto& each) { return each.combining != 0; });
    run = std::find_if(start, all.end(), [](auto& each) { return each.combining == 0; });
    std::stable_sort(start, run, [](auto& a, auto& b) { return a.combining < b.combining; });
  }
  std::vector<int32_t> points;
  points.reserve(all.size());
  for (const Character& each : all) points.push_back(each.point);
  return points;
}

}  // namespace

std::string whole_characters(std::string_view bytes) {
  std::string out;
  while (true) {
    const size_t whole = sdk::utf8_until(bytes);
    out += bytes.substr(0, whole);
    bytes.remove_prefix(whole);
    if (bytes.empty()) return out;
    // A beginning is bad once no continuation makes it a character.
    const auto first = static_cast<unsigned char>(bytes[0]);
    const size_t length = first < 0xC2 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    size_t taken = 1;
    while (first < 0xF5 && taken < length && taken < bytes.size()) {
      const auto next = static_cast<unsigned char>(bytes[taken]);
      const bool second = taken == 1;
      const unsigned least = second && first == 0xE0 ? 0xA0 : second && first == 0xF0 ? 0x90 : 0x80;
      const unsigned most = second && first == 0xED ? 0x9F : second && first == 0xF4 ? 0x8F : 0xBF;
      if (next < least || next > most) break;
      ++taken;
    }
    out += "\xEF\xBF\xBD";
    bytes.remove_prefix(taken);
  }
}

bool is_space(int32_t point) {
  return point == ' ' || (point >= '\t' && point <= '\r') || point == 0x85 || point == 0xA0 ||
         point == 0x1680 || (point >= 0x2000 && point <= 0x200A) || point == 0x2028 ||
         point == 0x2029 || point == 0x202F || point == 0x205F || point == 0x3000;
}

bool is_number(int32_t point) {
  return is_one_of(point, {UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NL, UTF8PROC_CATEGORY_NO});
}

bool is_mark(int32_t point) {
  return is_one_of(point, {UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MC, UTF8PROC_CATEGORY_ME});
}

bool is_nonspacing(int32_t point) { return category(point) == UTF8PROC_CATEGORY_MN; }

bool is_word(int32_t point) {
  const bool circled = (point >= 0x24B6 && point <= 0x24E9) ||
                       (point >= 0x1F130 && point <= 0x1F149) ||
                       (point >= 0x1F150 && point <= 0x1F169) ||
                       (point >= 0x1F170 && point <= 0x1F189);  // Alphabetic by PropList alone
  const bool joins = point == 0x200C || point == 0x200D;
  return circled || joins || is_mark(point) ||
         is_one_of(point, {UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LL, UTF8PROC_CATEGORY_LT,
                           UTF8PROC_CATEGORY_LM, UTF8PROC_CATEGORY_LO, UTF8PROC_CATEGORY_ND,
                           UTF8PROC_CATEGORY_NL, UTF8PROC_CATEGORY_PC});
}

bool is_punctuation(int32_t point) {
  if (point < 0x80) {
    return (point >= '!' && point <= '/') || (point >= ':' && point <= '@') ||
           (point >= '[' && point <= '`') || (point >= '{' && point <= '~');
  }
  const utf8proc_category_t which = category(point);
  return which >= UTF8PROC_CATEGORY_PC && which <= UTF8PROC_CATEGORY_PO;
}

bool is_control(int32_t point) {
  if (point == '\t' || point == '\n' || point == '\r') return false;
  return is_one_of(point, {UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_CF, UTF8PROC_CATEGORY_CO});
}

bool is_ideograph(int32_t point) {
  constexpr std::pair<int32_t, int32_t> blocks[] = {
      {0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
      {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
  return std::ranges::any_of(
      blocks, [&](auto& block) { return point >= block.first && point <= block.second; });
}

std::string normal_form(std::string_view text, Form form) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    return std::string(text);  // ASCII is in every form
  }
  std::vector<int32_t> points = decomposed(text, form == Form::kNfkc || form == Form::kNfkd);
  if (form == Form::kNfc || form == Form::kNfkc) {
    const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    const auto count = utf8proc_normalize_utf32(
        points.data(), static_cast<utf8proc_ssize_t>(points.size()), options);
    points.resize(static_cast<size_t>(std::max<utf8proc_ssize_t>(count, 0)));
  }
  std::string out;
  out.reserve(text.size());
  for (const int32_t point : points) out += sdk::utf8_of(point);
  return out;
}

std::string lower_case(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  each_character(text, [&](int32_t point, std::string_view bytes) {
    if (point == 0x130) {  // the one whose lower case is two characters
      out += "i\xCC\x87";
      return;
    }
    const int32_t lower = utf8proc_tolower(point);
    out += lower == point ? std::string(bytes) : sdk::utf8_of(lower);
  });
  return out;
}

std::string without(std::string_view text, bool (*is_left_out)(int32_t point)) {
  std::string out;
  each_character(text, [&](int32_t point, std::string_view bytes) {
    if (!is_left_out(point)) out += bytes;
  });
  return out;
}

void each_cluster(std::string_view text,
                  const std::function<void(std::string_view cluster)>& visit) {
  size_t begin = 0;
  size_t at = 0;
  int32_t before = -1;
  utf8proc_int32_t state = 0;
  each_character(text, [&](int32_t point, std::string_view bytes) {
    if (before >= 0 && utf8proc_grapheme_break_stateful(before, point, &state)) {
      visit(text.substr(begin, at - begin));
      begin = at;
    }
    before = point;
    at += bytes.size();
  });
  if (begin < at) visit(text.substr(begin));
}

}  // namespace tenon::tokenizer_json
