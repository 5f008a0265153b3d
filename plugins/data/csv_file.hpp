// SPDX-License-Identifier: Apache-2.0
// plugins/data/csv_file.hpp: reads a table of numbers from text, one row a line.
//
// As RFC 4180, and: any one byte between columns, lines end in LF, CR LF or CR, blank lines at the
// end and a byte order mark at the start are skipped, spaces around a number are allowed. A quoted
// column ends on its line.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data_file.hpp"

namespace tenon::data {

struct Csv {
  std::vector<std::string> names;  // of the columns; empty without a header
  size_t columns = 0;
  std::vector<float> numbers;   // [rows, columns]
  std::vector<int64_t> labels;  // [rows], exactly as they stand there; empty without that column

  int64_t rows() const { return columns == 0 ? 0 : static_cast<int64_t>(numbers.size() / columns); }
};

class CsvReader {
 public:
  static constexpr size_t kNoColumn = SIZE_MAX;

  CsvReader(const std::string& path, char delimiter, bool has_header)
      : file_("csv", path), delimiter_(delimiter), has_header_(has_header) {}

  // `label` says which column has labels once names and number of columns are known; kNoColumn.
  Csv read(const std::function<size_t(const Csv&)>& label) {
    const std::string text = file_.read_rest();
    std::string_view rest = text;
    if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
    rest = rest.substr(0, rest.find_last_not_of(delimiter_ == ' ' ? "\r\n" : " \r\n") + 1);
    Csv csv;
    size_t labels = kNoColumn;
    std::vector<std::string> cells;
    while (!rest.empty()) {
      line_ += 1;
      split(take_line(rest), cells);
      if (csv.columns == 0) csv.columns = cells.size();
      if (cells.size() != csv.columns) {
        file_.refuse(place() + "the number of columns differs", std::to_string(csv.columns),
                     std::to_string(cells.size()));
      }
      if (line_ == 1) {
        if (has_header_) csv.names = checked_names(cells);
        labels = label(csv);
        if (has_header_) continue;
      }
      if (labels != kNoColumn) csv.labels.push_back(whole_number(cells[labels]));
      for (size_t c = 0; c < cells.size(); ++c) {
        csv.numbers.push_back(c == labels ? static_cast<float>(csv.labels.back())
                                          : number(csv, cells[c], c));
      }
    }
    if (line_ == 0) file_.refuse("it is empty", "at least one line", "none");
    return csv;
  }

 private:
  std::string place() const { return "line " + std::to_string(line_) + ": "; }

  // Whatever is not text (a file that is packed, say) has bytes that no name has.
  const std::vector<std::string>& checked_names(const std::vector<std::string>& names) const {
    for (const std::string& name : names) {
      const auto is_control = [](char byte) {
        return static_cast<unsigned char>(byte) < 0x20 && byte != '\t';
      };
      if (std::ranges::none_of(name, is_control)) continue;
      file_.refuse(place() + "the name of a column is not text", "no control characters",
                   shown(name));
    }
    return names;
  }

  static std::string_view take_line(std::string_view& rest) {
    const size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end);
    rest.remove_prefix(rest.starts_with("\r\n") ? 2 : rest.empty() ? 0 : 1);
    return line;
  }

  // The columns of a line, without their quotes.
  void split(std::string_view line, std::vector<std::string>& cells) const {
    cells.clear();
    size_t at = 0;
    for (;;) {
      std::string cell;
      if (at < line.size() && line[at] == '"') {
        at = unquote(line, at + 1, cell);
        if (at < line.size() && line[at] != delimiter_) {
          file_.refuse(place() + "text follows a quoted column", "the delimiter",
                       shown(line.substr(at)));
        }
      } else {
        const size_t end = std::min(line.find(delimiter_, at), line.size());
        cell = line.substr(at, end - at);
        at = end;
      }
      cells.push_back(std::move(cell));
      if (at >= line.size()) return;
      at += 1;  // the delimiter
    }
  }

  // Returns where the line goes on after the closing quote.
  size_t unquote(std::string_view line, size_t at, std::string& cell) const {
    for (; at < line.size(); ++at) {
      if (line[at] != '"') {
        cell += line[at];
      } else if (line.substr(at).starts_with("\"\"")) {
        cell += line[at++];
      } else {
        return at + 1;
      }
    }
    file_.refuse(place() + "a quoted column does not end on its line", "a closing quote",
                 shown(cell));
  }

  // Without spaces around it and without a plus.
  static std::string_view bare(std::string_view cell) {
    while (cell.starts_with(' ')) cell.remove_prefix(1);
    while (cell.ends_with(' ')) cell.remove_suffix(1);
    if (cell.starts_with('+') && !cell.starts_with("+-")) cell.remove_prefix(1);
    return cell;
  }

  template <class T>
  static std::optional<T> parsed(std::string_view text) {
    T value = 0;
    const char* const end = text.data() + text.size();
    const auto [behind, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || behind != end) return std::nullopt;
    return value;
  }

  // "7", "7.0", "7e0": exact, whatever its size.
  int64_t whole_number(std::string_view cell) const {
    std::string_view text = bare(cell);
    if (const size_t dot = text.find('.'); dot != std::string_view::npos && dot > 0) {
      const size_t last = text.find_last_not_of('0');
      if (last == dot) text = text.substr(0, dot);
    }
    if (const auto whole = parsed<int64_t>(text)) return *whole;
    constexpr double kExact = 9007199254740992.0;  // 2^53: from here on f64 skips integers
    if (text.find_first_of("eE") != std::string_view::npos) {
      const auto real = parsed<double>(text);
      if (real && *real == std::trunc(*real) && std::abs(*real) < kExact) {
        return static_cast<int64_t>(*real);
      }
    }
    file_.refuse(place() + "the label is not a whole number", "a whole number that i64 can hold",
                 shown(cell));
  }

  float number(const Csv& csv, std::string_view cell, size_t column) const {
    const std::string_view whole = cell;
    cell = bare(cell);
    const char* const end = cell.data() + cell.size();
    float value = 0;
    auto [behind, error] = std::from_chars(cell.data(), end, value);
    if (error == std::errc::result_out_of_range) {  // too large, or so small that it is 0
      double wide = HUGE_VAL;
      std::from_chars(cell.data(), end, wide);
      if (std::abs(wide) < 1) {
        value = static_cast<float>(wide);
        error = std::errc();
      }
    }
    if (error != std::errc() || behind != end || !std::isfinite(value)) {
      const std::string name = csv.names.empty() ? "" : " (" + shown(csv.names[column]) + ")";
      file_.refuse("line " + std::to_string(line_) + ", column " + std::to_string(column + 1) +
                       name + ": it is not a number",
                   "a finite number that f32 can hold", shown(whole));
    }
    return value;
  }

  DataFile file_;
  char delimiter_;
  bool has_header_;
  size_t line_ = 0;  // from 1
};

}  // namespace tenon::data
