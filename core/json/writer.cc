// SPDX-License-Identifier: Apache-2.0
// core/json/writer.cc: escapes, numbers, commas and lines.
#include "core/json/writer.h"

#include <charconv>
#include <cmath>

namespace tenon::json {

namespace {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr uint32_t kReplacement = 0xFFFD;

void append_unit(std::string& out, uint32_t unit) {
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[unit >> shift & 0xf];
}

struct Decoded {
  uint32_t code = kReplacement;
  size_t bytes = 1;
  bool good = false;
};

// The code point at the front of `text`; else the longest start of one, which is not good. The
// table is that of the Unicode standard, "Well-Formed UTF-8 Byte Sequences".
Decoded decode(std::string_view text) {
  const auto byte = [&text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return {};
  unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  uint32_t code = first & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if (i == text.size() || byte(i) < low || byte(i) > high) return {kReplacement, i, false};
    code = code << 6 | (byte(i) & 0x3Fu);
    low = 0x80;
    high = 0xBF;
  }
  return {code, length, true};
}

// True if `code` has an escape that JSON asks for.
bool append_escape(std::string& out, uint32_t code) {
  constexpr std::string_view kNamed = "\b\t\n\f\r\"\\";
  constexpr std::string_view kLetters = "btnfr\"\\";
  const size_t at = code < 0x80 ? kNamed.find(static_cast<char>(code)) : std::string_view::npos;
  if (at != std::string_view::npos) {
    out += '\\';
    out += kLetters[at];
    return true;
  }
  if (code >= 0x20) return false;
  append_unit(out, code);
  return true;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Decoded next = decode(text);
    if (!next.good) return false;
    text.remove_prefix(next.bytes);
  }
  return true;
}

std::string readable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Decoded next = decode(text);
    const bool shown = next.good && (next.code >= 0x20 || next.code == '\n' || next.code == '\t');
    const std::string_view itself = text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
    if (shown && next.code != 0x7F) {
      out += itself;
      continue;
    }
    for (const char each : itself) {
      const auto byte = static_cast<unsigned char>(each);
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 0xf]};
    }
  }
  return out;
}

void append_quoted(std::string& out, std::string_view text, bool ascii) {
  out += '"';
  while (!text.empty()) {
    const Decoded next = decode(text);
    const std::string_view itself = text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
    if (append_escape(out, next.code)) continue;
    if (!ascii || next.code < 0x7F) {
      out += next.good ? itself : "\xEF\xBF\xBD";
    } else if (next.code < 0x10000) {
      append_unit(out, next.code);
    } else {
      append_unit(out, 0xD7C0 + (next.code >> 10));
      append_unit(out, 0xDC00 + (next.code & 0x3FF));
    }
  }
  out += '"';
}

void append_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  if (std::signbit(value)) out += '-';
  char buffer[40];
  const char* const stop =
      std::to_chars(buffer, buffer + sizeof buffer, std::fabs(value), std::chars_format::scientific)
          .ptr;
  const std::string_view all(buffer, static_cast<size_t>(stop - buffer));
  const size_t mark = all.find('e');
  std::string digits(all.substr(0, 1));
  if (mark > 2) digits += all.substr(2, mark - 2);
  int exponent = 0;
  const char* const sign = all.data() + mark + 1;
  std::from_chars(*sign == '+' ? sign + 1 : sign, stop, exponent);
  // Plain digits if they are few: from 0.0001 to below 1e15.
  if (value == 0 || (exponent >= -4 && exponent < 15)) {
    if (exponent < 0) {
      out.append("0.").append(static_cast<size_t>(-exponent - 1), '0').append(digits);
      return;
    }
    const size_t whole = static_cast<size_t>(exponent) + 1;
    if (digits.size() < whole) digits.append(whole - digits.size(), '0');
    out.append(digits, 0, whole).append(".");
    out.append(digits.size() > whole ? digits.substr(whole) : "0");
    return;
  }
  out += digits[0];
  if (digits.size() > 1) out.append(".").append(digits, 1);
  out.append(all.substr(mark));
}

void Writer::name(std::string_view name) {
  before_entry();
  append_quoted(text_, name);
  text_ += indent_ ? ": " : ":";
  named_ = true;
}

void Writer::value(std::string_view text) {
  before_entry();
  append_quoted(text_, text);
}

void Writer::value(double number) {
  before_entry();
  append_number(text_, number);
}

void Writer::raw(std::string_view token) {
  before_entry();
  text_ += token;
}

void Writer::begin(char bracket) {
  before_entry();
  text_ += bracket;
  ++depth_;
  filled_ &= ~(uint64_t{1} << depth_);
}

void Writer::end(char bracket) {
  const bool filled = (filled_ >> depth_ & 1) != 0;
  --depth_;
  if (filled) new_line();
  text_ += bracket;
}

void Writer::before_entry() {
  if (named_) {
    named_ = false;
    return;
  }
  if (depth_ == 0) return;
  const uint64_t bit = uint64_t{1} << depth_;
  if (filled_ & bit) text_ += ',';
  filled_ |= bit;
  new_line();
}

void Writer::new_line() {
  if (indent_ == 0) return;
  text_ += '\n';
  text_.append(size_t{depth_} * indent_, ' ');
}

}  // namespace tenon::json
