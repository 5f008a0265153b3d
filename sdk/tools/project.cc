// SPDX-License-Identifier: Apache-2.0
// sdk/tools/project.cc: see project.h.
#include "project.h"

#include <algorithm>
#include <set>

#include "program.h"

namespace tenon::tools {

namespace fs = std::filesystem;

fs::path data_folder() { return fs::path(program_folder()).parent_path() / "share" / "tenon"; }

std::vector<std::string> folders_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_directory()) names.insert(entry.path().filename());
  }
  return {names.begin(), names.end()};
}

bool is_word(const std::string& text) {
  const auto rest = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && text[0] >= 'a' && text[0] <= 'z' &&
         std::all_of(text.begin(), text.end(), [&](char c) { return c == '_' || rest(c); });
}

}  // namespace tenon::tools
