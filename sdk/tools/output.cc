// SPDX-License-Identifier: Apache-2.0
// sdk/tools/output.cc: printing.
#include <iostream>

#include "command.h"

namespace tenon::tools {

void print(const std::string& text) { std::cout << text << std::flush; }

void print_json(const Json& json) {
  print(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::string count_text(size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

std::vector<std::string> names_of(const Json& list) {
  std::vector<std::string> names;
  for (const Json& item : list) names.push_back(item.is_object() ? item.at("name") : item);
  return names;
}

}  // namespace tenon::tools
