// SPDX-License-Identifier: Apache-2.0
// tests/hostile/case_file.cc: see case_file.h.
#include "case_file.h"

#include <tenon/ext/draft/datasets.h>
#include <tenon/plugin.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

namespace tenon::tests {
namespace {

const std::set<std::string>& verdicts() {
  static const std::set<std::string> all = {
      "refused by the scan", "refused unopened", "refused", "failed", "opens", "unseen", "error"};
  return all;
}

const std::set<std::string>& keys() {
  static const std::set<std::string> all = [] {
    std::set<std::string> known = verdicts();
    known.insert({"needs", "manifest", "before", "between", "policy", "environment"});
    return known;
  }();
  return all;
}

void take(Case& found, const std::string& key, const std::string& value) {
  if (key == "needs") {
    found.needs = value;
  } else if (key == "manifest") {
    found.manifest.push_back(value);
  } else if (key == "before") {
    found.before.push_back(value);
  } else if (key == "between") {
    found.between.push_back(value);
  } else if (key == "policy") {
    found.policy = value;
  } else if (key == "environment") {
    found.environment = value;
  } else if (!found.verdict.empty()) {
    throw std::runtime_error("a second verdict, '" + key + "'");
  } else {
    found.verdict = key;
    found.text = value;
  }
}

bool starts_with(const std::string& text, std::string_view prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error(path + ": cannot be read");
  std::vector<std::string> lines;
  std::string line;
  while (std::getline(stream, line)) lines.push_back(line);
  return lines;
}

// The comment above the case's code, without "// "; of `lines` in C or C++.
std::vector<std::string> lines_above(const std::vector<std::string>& lines,
                                     const std::string& name) {
  const std::string_view mark = "// ";
  const auto code = std::ranges::find_if(
      lines, [&](const std::string& line) { return starts_with(line, "CASE(" + name + ")"); });
  auto first = code;
  while (code != lines.end() && first != lines.begin() && starts_with(*std::prev(first), mark))
    --first;
  std::vector<std::string> above;
  for (; first != code; ++first) above.push_back(first->substr(mark.size()));
  return above;
}

// The lines below "case: <name>", without comments; of `lines` of a .cases file.
std::vector<std::string> lines_below(const std::vector<std::string>& lines,
                                     const std::string& name) {
  std::vector<std::string> below;
  auto line = std::ranges::find(lines, "case: " + name);
  if (line != lines.end()) ++line;
  for (; line != lines.end() && !line->empty(); ++line) {
    if (!starts_with(*line, "#")) below.push_back(*line);
  }
  return below;
}

const std::map<std::string, size_t>& sizes() {
  static const std::map<std::string, size_t> all = {
      {"tenon_plugin", sizeof(tenon_plugin)},
      {"tenon_op_desc", sizeof(tenon_op_desc)},
      {"tenon_kernel_desc", sizeof(tenon_kernel_desc)},
      {"tenon_vjp_desc", sizeof(tenon_vjp_desc)},
      {"tenon_optimizer_desc", sizeof(tenon_optimizer_desc)},
      {"tenon_dataset_desc", sizeof(tenon_dataset_desc)},
      {"tenon_dataset_desc.lengths", offsetof(tenon_dataset_desc, lengths)},
      {"tenon_backend_table", sizeof(tenon_backend_table)},
      {"tenon_ops_table", sizeof(tenon_ops_table)},
      {"tenon_tolerance", sizeof(tenon_tolerance)},
      {"tenon_optimizer_sample", sizeof(tenon_optimizer_sample)},
      {"draft", TENON_ABI_DRAFT},
      {"major", TENON_ABI_MAJOR},
      {"minor", TENON_ABI_MINOR}};
  return all;
}

std::string value_of(const std::string& name, const std::map<std::string, std::string>& names) {
  const size_t sign = std::min(name.find_first_of("+-"), name.size());
  const std::string plain = name.substr(0, sign);
  const auto given = names.find(plain);
  const auto size = sizes().find(plain);
  if (given == names.end() && size == sizes().end()) {
    throw std::runtime_error("unknown placeholder {" + name + "}");
  }
  std::string value = given != names.end() ? given->second : std::to_string(size->second);
  if (sign == name.size()) return value;
  return std::to_string(std::stol(value) + std::stol(name.substr(sign)));
}

}  // namespace

Case read_case(const std::string& path, const std::string& name) {
  Case found;
  found.has_code = !path.ends_with(".cases");
  const std::vector<std::string> lines = lines_of(path);
  std::vector<std::pair<std::string, std::string>> directives;
  for (const std::string& line :
       found.has_code ? lines_above(lines, name) : lines_below(lines, name)) {
    const size_t colon = std::min(line.find(':'), line.size());
    const std::string key = line.substr(0, colon);
    if (keys().contains(key)) {
      const size_t begin = std::min(line.find_first_not_of(' ', colon + 1), line.size());
      directives.emplace_back(key, line.substr(begin));
    } else if (!directives.empty()) {
      if (!starts_with(line, "  ")) {
        throw std::runtime_error((path + ": neither a directive nor indented: ").append(line));
      }
      const std::string more = line.substr(std::min(line.find_first_not_of(' '), line.size()));
      directives.back().second += (starts_with(more, "\\n") ? "" : " ") + more;
    }
  }
  try {
    for (const auto& [key, value] : directives) take(found, key, value);
    if (found.verdict.empty()) throw std::runtime_error("nothing says what must come of it");
  } catch (const std::exception& error) {
    throw std::runtime_error((path + ": " + name + ": ").append(error.what()));
  }
  return found;
}

std::string filled_in(const std::string& text, const std::map<std::string, std::string>& names) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "\\n") == 0) {
      result += '\n';
      ++i;
    } else if (text.compare(i, 2, "{{") == 0) {
      result += text[i++];
    } else if (text[i] == '{') {
      const size_t end = text.find('}', i);
      if (end == std::string::npos) throw std::runtime_error("'{' without '}'");
      result += value_of(text.substr(i + 1, end - i - 1), names);
      i = end;
    } else {
      result += text[i];
    }
  }
  return result;
}

}  // namespace tenon::tests
