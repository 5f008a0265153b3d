// SPDX-License-Identifier: Apache-2.0
// core/registry/schema_cursor.h: a position in a schema text, the tokens it can read from there,
// and the errors that point at it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::registry {

// A word together with where it stands, for messages given after more of the text was read.
struct Word {
  std::string_view text;
  size_t at = 0;
};

struct NumberToken {
  size_t at = 0;
  bool integer = false;
  int64_t i = 0;   // integers only
  double f = 0.0;  // set for integers too
};

bool is_schema_word(std::string_view text);         // letters, digits, '_'; no digit first
bool is_type_variable_name(std::string_view text);  // one capital, then lowercase letters or digits
bool is_digits(std::string_view text);
std::string quoted(std::string_view text);

// Reads forward only, never past the text, whatever its bytes are. Functions that read skip the
// space in front; those named accept_ consume nothing when the answer is no.
class SchemaCursor {
 public:
  explicit SchemaCursor(std::string_view text) : text_(text) {}

  // Refuses bytes no schema may hold: all but printable ASCII and whitespace.
  void check_bytes() const;

  // Where the next token starts.
  size_t here();
  bool at_end() { return here() == text_.size(); }
  // The next byte that is not space, '\0' at the end.
  char peek();
  bool accept(char c);
  void expect(char c, const char* where);
  bool accept_arrow();
  bool accept_word(std::string_view word);
  Word read_word(const char* what);
  // Words joined by '.' without space between them.
  std::string read_dotted_name(const char* what);
  // integer | float | inf | -inf | nan; empty if none starts here.
  std::optional<NumberToken> accept_number();
  int64_t read_integer(const char* what);
  // A string in double quotes, its escapes resolved.
  std::string read_string();
  // The text up to ',' or ']' outside every bracket, each run of space made one.
  std::string read_dim_text();

  // The text does not follow the grammar at `at`. Throws Error.
  [[noreturn]] void fail(size_t at, const std::string& expected) const;
  // The text follows the grammar, but what it says at `at` is not allowed. Throws Error.
  [[noreturn]] void refuse(size_t at, const std::string& problem, const std::string& hint) const;

  // The op's name, once known, goes into every error.
  void set_op(std::string_view name) { op_ = name; }

 private:
  void skip_space();
  void skip_digits();
  bool scan_digits();
  bool at_inf_or_nan(bool negative) const;
  char read_escape();
  std::string excerpt(size_t at) const;
  std::string found_at(size_t at) const;

  std::string_view text_;
  size_t at_ = 0;
  std::string op_;
};

}  // namespace tenon::registry
