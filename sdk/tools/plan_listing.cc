// SPDX-License-Identifier: Apache-2.0
// sdk/tools/plan_listing.cc: reads a plan's listing: a line that says how much there is of what,
// then a line for each launch: its number, op, plugin, operands and scope.
#include "plan_listing.h"

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

namespace tenon::tools {
namespace {

constexpr const char* kTitle = "plan: ";

struct Counts {
  size_t launches = 0, storages = 0, inputs = 0;
};

std::optional<Counts> counts_of(const std::string& line) {
  Counts counts;
  const int read = std::sscanf(line.c_str(), "plan: %zu launches, %zu storages, %zu inputs",
                               &counts.launches, &counts.storages, &counts.inputs);
  return read == 3 && line.find(" inputs") != line.npos ? std::optional(counts) : std::nullopt;
}

// Is `text` two names, as of an op or a plugin, after the number that is due?
bool read_launch(const std::string& line, size_t number, std::string& op, std::string& plugin) {
  std::istringstream words(line);
  std::string first;
  words >> first >> op >> plugin;
  return first == std::to_string(number) && op.find('.') != op.npos &&
         plugin.find('.') != plugin.npos;
}

}  // namespace

std::optional<Inspection> inspect_plan(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string start(std::string(kTitle).size(), '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (start != kTitle) return std::nullopt;
  stream.clear();
  stream.seekg(0);
  std::string line;
  std::getline(stream, line);
  const std::optional<Counts> counts = counts_of(line);
  Inspection found;
  found.content = {{"kind", "plan"}};
  if (!counts) {
    found.findings.push_back(
        "line 1: \"plan: N launches, N storages, N inputs\" is expected; found \"" +
        one_line(line) + "\"");
    return found;
  }
  std::map<std::string, size_t> ops, plugins;
  size_t launches = 0;
  std::string op, plugin;
  while (std::getline(stream, line)) {
    if (!read_launch(line, launches, op, plugin)) {
      found.findings.push_back(
          "line " + std::to_string(launches + 2) + ": launch " + std::to_string(launches) +
          " with its op and plugin is expected; found \"" + one_line(line) + "\"");
      break;
    }
    ++ops[op];
    ++plugins[plugin];
    ++launches;
  }
  if (found.findings.empty() && launches != counts->launches) {
    found.findings.push_back("line 1 says " + std::to_string(counts->launches) + " launches" +
                             ", the file lists " + std::to_string(launches));
  }
  found.content.update({{"launches", counts->launches},
                        {"storages", counts->storages},
                        {"inputs", counts->inputs},
                        {"ops", ops},
                        {"plugins", plugins}});
  return found;
}

}  // namespace tenon::tools
