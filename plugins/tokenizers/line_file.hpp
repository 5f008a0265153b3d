// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizers/line_file.hpp: files of tokenizers as text: a title, then a line for each
// merge or character. Every byte counts, so each tokenizer has one file.
#pragma once

#include <tenon/sdk/plugin/tokenizer.hpp>

#include <charconv>
#include <string>
#include <string_view>

namespace tenon::tokenizers {

inline constexpr int32_t kMaxTokens = 1 << 20;

[[noreturn]] inline void refuse_line(size_t line, const std::string& what,
                                     const std::string& expected) {
  throw sdk::Failure{TENON_E_DATA,
                     "line " + std::to_string(line) + ": " + what +
                         (expected.empty() ? "" : ": expected " + expected),
                     "",
                     expected,
                     "",
                     "make the file again with `tenon tokenizer train`"};
}

inline std::string_view take_line(std::string_view& file, size_t line) {
  const size_t end = file.find('\n');
  if (end == std::string_view::npos) {
    refuse_line(line, "the file is cut off", "a line that ends in a line feed");
  }
  const std::string_view row = file.substr(0, end);
  file.remove_prefix(end + 1);
  return row;
}

// read(row)  throws sdk::Failure, whose words get the line's number
template <class Read>
void read_lines(std::string_view file, std::string_view title, Read&& read) {
  size_t line = 1;
  if (take_line(file, line) != title) {
    refuse_line(line, "it is not such a tokenizer", "'" + std::string(title) + "'");
  }
  while (!file.empty()) {
    const std::string_view row = take_line(file, ++line);
    try {
      read(row);
    } catch (const sdk::Failure& failure) {
      refuse_line(line, failure.what, failure.expected);
    }
  }
}

// An integer as to_string() writes it, moving `row` past it; -1 for anything else, also for
// "007" and "-0".
inline int32_t take_number(std::string_view& row) {
  int32_t number = -1;
  const char* const end = row.data() + row.size();
  const auto [after, error] = std::from_chars(row.data(), end, number);
  const auto length = static_cast<size_t>(after - row.data());
  if (error != std::errc() || number < 0 || row.substr(0, length) != std::to_string(number)) {
    return -1;
  }
  row.remove_prefix(length);
  return number;
}

// Whether it is made of a file, not learnt from a text, option `text` at position 0.
inline bool is_read(const sdk::TokenizerFile& file, const sdk::Attrs& options) {
  if (file.has_value() != options.given(0)) return file.has_value();
  throw sdk::Failure{TENON_E_ATTRIBUTE,
                     file ? "there are a file and a text, but it is made of one of them"
                          : "there is neither a file nor a text that it is made of",
                     "text", "a file, or `text`", file ? "both" : "neither"};
}

}  // namespace tenon::tokenizers
