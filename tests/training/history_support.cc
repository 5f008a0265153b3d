// SPDX-License-Identifier: Apache-2.0
// tests/training/history_support.cc: texts of a history, and files.
#include "tests/training/history_support.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace tenon::tests {

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

size_t count_of(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

std::string History::query(std::string_view topic) {
  tenon_text* text = nullptr;
  must(tenon_history_query(context, history, topic.data(), topic.size(), &text));
  const char* data = nullptr;
  uint64_t length = 0;
  must(tenon_text_get(text, &data, &length));
  std::string found(data, length);
  tenon_text_release(text);
  return found;
}

std::vector<std::string> History::files() const {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    found.push_back(entry.path().filename().string());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace tenon::tests
