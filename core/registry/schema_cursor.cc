// SPDX-License-Identifier: Apache-2.0
// core/registry/schema_cursor.cc: reading tokens of a schema text and pointing at its mistakes.
#include "core/registry/schema_cursor.h"

#include <algorithm>
#include <charconv>

#include "core/base/error.h"

namespace tenon::registry {
namespace {

[[gnu::always_inline]] inline bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
[[gnu::always_inline]] inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[gnu::always_inline]] inline bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
[[gnu::always_inline]] inline bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
[[gnu::always_inline]] inline bool is_word_start(char c) {
  return is_upper(c) || is_lower(c) || c == '_';
}
[[gnu::always_inline]] inline bool is_word(char c) { return is_word_start(c) || is_digit(c); }
[[gnu::always_inline]] inline bool is_printable(char c) { return c >= ' ' && c <= '~'; }

}  // namespace

bool is_schema_word(std::string_view text) {
  // An always inlined function cannot be handed over.
  const auto is_part = [](char c) { return is_word(c); };
  return !text.empty() && is_word_start(text.front()) && std::ranges::all_of(text, is_part);
}

bool is_type_variable_name(std::string_view text) {
  return !text.empty() && is_upper(text.front()) &&
         std::all_of(text.begin() + 1, text.end(),
                     [](char c) { return is_lower(c) || is_digit(c); });
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

std::string quoted(std::string_view text) { return '\'' + std::string(text) + '\''; }

// --- errors -------------------------------------------------------------------------------------

// The text around a position on one line, and a caret under it.
std::string SchemaCursor::excerpt(size_t at) const {
  constexpr size_t reach = 60;
  const size_t begin = at > reach ? at - reach : 0;
  const size_t end = std::min(text_.size(), at + reach);
  std::string line = begin > 0 ? "  ..." : "  ";
  const size_t caret = line.size() + (at - begin);
  for (size_t i = begin; i < end; ++i) {
    const char shown = is_space(text_[i]) ? ' ' : '?';
    line += is_printable(text_[i]) ? text_[i] : shown;
  }
  if (end < text_.size()) line += "...";
  return line + '\n' + std::string(caret, ' ') + '^';
}

std::string SchemaCursor::found_at(size_t at) const {
  if (at >= text_.size()) return "the end of the text";
  if (!is_printable(text_[at])) {
    return "byte " + std::to_string(static_cast<unsigned char>(text_[at]));
  }
  constexpr size_t longest = 40;
  size_t end = at + 1;
  if (is_word(text_[at])) {
    while (end < text_.size() && is_word(text_[end]) && end - at < longest) ++end;
  }
  return quoted(text_.substr(at, end - at));
}

void SchemaCursor::fail(size_t at, const std::string& expected) const {
  Error error{TENON_E_SCHEMA, {}};
  error.op = op_;
  error.expected = expected;
  error.found = found_at(at);
  error.message = "schema column " + std::to_string(at + 1) + ": expected " + expected +
                  ", found " + error.found + '\n' + excerpt(at);
  throw error;
}

void SchemaCursor::refuse(size_t at, const std::string& problem, const std::string& hint) const {
  Error error{TENON_E_SCHEMA, {}};
  error.op = op_;
  error.found = found_at(at);
  error.hint = hint;
  error.message = "schema column " + std::to_string(at + 1) + ": " + problem + " (" + hint + ")\n" +
                  excerpt(at);
  throw error;
}

void SchemaCursor::check_bytes() const {
  for (size_t i = 0; i < text_.size(); ++i) {
    if (!is_printable(text_[i]) && !is_space(text_[i])) fail(i, "printable ASCII");
  }
}

// --- tokens -------------------------------------------------------------------------------------

void SchemaCursor::skip_space() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
}

void SchemaCursor::skip_digits() {
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
}

size_t SchemaCursor::here() {
  skip_space();
  return at_;
}

char SchemaCursor::peek() {
  skip_space();
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool SchemaCursor::accept(char c) {
  if (peek() != c) return false;
  ++at_;
  return true;
}

void SchemaCursor::expect(char c, const char* where) {
  if (!accept(c)) fail(at_, quoted({&c, 1}) + ' ' + where);
}

bool SchemaCursor::accept_arrow() {
  skip_space();
  if (text_.substr(at_, 2) != "->") return false;
  at_ += 2;
  return true;
}

Word SchemaCursor::read_word(const char* what) {
  if (!is_word_start(peek())) fail(at_, what);
  const size_t begin = at_;
  while (at_ < text_.size() && is_word(text_[at_])) ++at_;
  return {text_.substr(begin, at_ - begin), begin};
}

bool SchemaCursor::accept_word(std::string_view word) {
  if (!is_word_start(peek())) return false;
  const size_t begin = at_;
  if (read_word("a word").text == word) return true;
  at_ = begin;
  return false;
}

std::string SchemaCursor::read_dotted_name(const char* what) {
  const Word first = read_word(what);
  while (at_ < text_.size() && text_[at_] == '.') {
    ++at_;
    if (at_ == text_.size() || !is_word_start(text_[at_])) fail(at_, "a name after '.'");
    read_word(what);
  }
  return std::string(text_.substr(first.at, at_ - first.at));
}

std::optional<NumberToken> SchemaCursor::accept_number() {
  NumberToken token;
  token.at = here();
  const bool negative = at_ < text_.size() && text_[at_] == '-';
  if (negative) ++at_;
  if (at_ < text_.size() && is_digit(text_[at_])) {
    token.integer = scan_digits();
  } else if (at_inf_or_nan(negative)) {
    at_ += 3;
  } else {
    at_ = token.at;
    return std::nullopt;
  }
  const char* const begin = text_.data() + token.at;
  const char* const end = text_.data() + at_;
  const std::from_chars_result result =
      token.integer ? std::from_chars(begin, end, token.i) : std::from_chars(begin, end, token.f);
  if (result.ec != std::errc() || result.ptr != end) {
    fail(token.at, token.integer ? "an integer of 64 bits" : "a number a double can hold");
  }
  if (token.integer) token.f = static_cast<double>(token.i);
  return token;
}

// digits ['.' digits] ['e' [sign] digits], the cursor standing on the first digit; true when it
// stayed an integer.
bool SchemaCursor::scan_digits() {
  bool integer = true;
  skip_digits();
  if (at_ < text_.size() && text_[at_] == '.') {
    integer = false;
    ++at_;
    skip_digits();
  }
  if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
    integer = false;
    ++at_;
    if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
    skip_digits();
  }
  return integer;
}

bool SchemaCursor::at_inf_or_nan(bool negative) const {
  const std::string_view word = text_.substr(at_, 3);
  const bool ends = at_ + 3 >= text_.size() || !is_word(text_[at_ + 3]);
  return ends && (word == "inf" || (word == "nan" && !negative));
}

int64_t SchemaCursor::read_integer(const char* what) {
  const size_t begin = here();
  const std::optional<NumberToken> token = accept_number();
  if (!token || !token->integer) fail(begin, what);
  return token->i;
}

std::string SchemaCursor::read_string() {
  expect('"', "of a string");
  std::string value;
  while (at_ < text_.size() && text_[at_] != '"') {
    const char c = text_[at_];
    if (!is_printable(c)) fail(at_, "a string on one line (\\n and \\t are escapes)");
    ++at_;
    value += c == '\\' ? read_escape() : c;
  }
  if (at_ == text_.size()) fail(at_, "'\"' at the end of a string");
  ++at_;
  return value;
}

char SchemaCursor::read_escape() {
  const char escape = at_ < text_.size() ? text_[at_] : '\0';
  if (escape != 'n' && escape != 't' && escape != '"' && escape != '\\') {
    fail(at_, "one of \\\" \\\\ \\n \\t");
  }
  ++at_;
  if (escape == 'n') return '\n';
  return escape == 't' ? '\t' : escape;
}

std::string SchemaCursor::read_dim_text() {
  skip_space();
  std::string text;
  std::string open;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (open.empty() && (c == ',' || c == ']')) break;
    if (c == '(' || c == '[') open += c == '(' ? ')' : ']';
    if (c == ')' || c == ']') {
      if (open.empty() || open.back() != c) fail(at_, "a matching bracket");
      open.pop_back();
    }
    if (!is_space(c)) {
      text += c;
    } else if (text.back() != ' ') {
      text += ' ';
    }
  }
  if (!open.empty()) fail(at_, quoted({&open.back(), 1}) + " in a dimension");
  if (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace tenon::registry
