// SPDX-License-Identifier: Apache-2.0
// plugins/data/csv_file.hpp: reads a table of numbers from text, one row a line.
//
// As RFC 4180, and: any one byte between columns, lines end in LF or CR LF, spaces around a number
// are allowed, a byte order mark at the start is skipped. A quoted column ends on its line.
#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "data_file.hpp"

namespace tenon::data {

struct Csv {
  std::vector<std::string> names;  // of the columns; empty without a header
  size_t columns = 0;
  std::vector<float> numbers;  // [rows, columns]

  int64_t rows() const { return columns == 0 ? 0 : static_cast<int64_t>(numbers.size() / columns); }
};

class CsvReader {
 public:
  CsvReader(const std::string& path, char delimiter, bool has_header)
      : file_("csv", path), delimiter_(delimiter), has_header_(has_header) {}

  Csv read() {
    const std::string text = file_.read_rest();
    std::string_view rest = text;
    if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
    Csv csv;
    std::vector<std::string> cells;
    while (!rest.empty()) {
      line_ += 1;
      split(take_line(rest), cells);
      if (csv.columns == 0) csv.columns = cells.size();
      if (cells.size() != csv.columns) {
        file_.refuse(place() + "the number of columns differs", std::to_string(csv.columns),
                     std::to_string(cells.size()));
      }
      if (line_ == 1 && has_header_) {
        csv.names = cells;
        continue;
      }
      for (size_t c = 0; c < cells.size(); ++c) csv.numbers.push_back(number(csv, cells[c], c));
    }
    if (line_ == 0) file_.refuse("it is empty", "at least one line", "none");
    return csv;
  }

 private:
  std::string place() const { return "line " + std::to_string(line_) + ": "; }

  static std::string_view take_line(std::string_view& rest) {
    const size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
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

  float number(const Csv& csv, std::string_view cell, size_t column) const {
    const std::string_view whole = cell;
    while (cell.starts_with(' ')) cell.remove_prefix(1);
    while (cell.ends_with(' ')) cell.remove_suffix(1);
    if (cell.starts_with('+') && !cell.starts_with("+-")) cell.remove_prefix(1);
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
