// SPDX-License-Identifier: Apache-2.0
// sdk/tools/markdown.h: pieces of the pages that the command writes.
#pragma once

#include <string>
#include <vector>

namespace tenon::tools {

// A table with a line for each row, and an empty line after it.
std::string markdown_table(const std::vector<std::string>& head,
                           const std::vector<std::vector<std::string>>& rows);

// "`x`"; nothing for nothing.
std::string markdown_code(const std::string& text);

// The first sentence of a documentation, on one line.
std::string markdown_summary(const std::string& doc);

}  // namespace tenon::tools
