// SPDX-License-Identifier: Apache-2.0
// sdk/tools/markdown.cc: see markdown.h.
#include "markdown.h"

#include <algorithm>

namespace tenon::tools {
namespace {

// Text in a cell of a table.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '|') safe += '\\';
    safe += c == '\n' ? ' ' : c;
  }
  return safe;
}

std::string row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& each : cells) text += " " + cell(each) + " |";
  return text + "\n";
}

}  // namespace

std::string markdown_table(const std::vector<std::string>& head,
                           const std::vector<std::vector<std::string>>& rows) {
  std::string text = row(head) + "|";
  for (size_t i = 0; i < head.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& cells : rows) text += row(cells);
  return text + "\n";
}

std::string markdown_code(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

std::string markdown_summary(const std::string& doc) {
  std::string text = doc.substr(0, doc.find("\n\n"));
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.substr(0, text.find(". ") == text.npos ? text.npos : text.find(". ") + 1);
}

}  // namespace tenon::tools
