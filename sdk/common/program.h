// SPDX-License-Identifier: Apache-2.0
// sdk/common/program.h: what `tenon` and the conformance kit have in common as programs: options,
// exit statuses, refusals, printing.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tenon::tools {

using Json = nlohmann::ordered_json;

// Exit statuses of every subcommand.
inline constexpr int kGood = 0;
inline constexpr int kFindings = 1;  // something is wrong with what was looked at
inline constexpr int kUsage = 2;     // the command line is wrong

// Options before the subcommand.
struct Options {
  std::vector<std::string> plugin_paths;  // searched first
  std::string allowlist;                  // a lock file: only what it names is opened
  std::vector<std::string> exclude;       // ids of plugins to leave out
  bool only_paths = false;                // nothing but plugin_paths is searched
};

// Ends the command: `text` goes to standard error.
struct Failure {
  std::string text;
  int exit_status = kFindings;
};

// Prints to standard output; JSON by itself, whatever bytes plugins have put into it.
void print(const std::string& text);
void print_json(const Json& json);

// Writes a file that no reader sees half written, through links. Throws Failure.
void write_file(const std::string& path, const std::string& text);
// The file that it writes first, which then takes the other's place. Throws Failure.
std::string part_beside(const std::string& path);

// The folder that this program lies in. Throws Failure.
std::string program_folder();

// A given path, relative to where the command was started.
std::string absolute_path(const std::string& path);

// "1 plugin", "2 plugins"
std::string count_text(size_t count, const std::string& noun);
// Items with ", " between them.
std::string joined(const std::vector<std::string>& items);
// On one line, without control characters and no longer than 200 bytes: for what plugins wrote.
std::string one_line(const std::string& text);
// A list of strings, or of objects with a member "name", as strings.
std::vector<std::string> names_of(const Json& list);

}  // namespace tenon::tools
