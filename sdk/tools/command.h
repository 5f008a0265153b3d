// SPDX-License-Identifier: Apache-2.0
// sdk/tools/command.h: what the subcommands of `tenon` share.
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
};

// Ends the command: `text` goes to standard error.
struct Failure {
  std::string text;
  int exit_status = kFindings;
};

// Each prints its answer and returns an exit status; throws Failure.
int list(const Options& options, bool as_json);
int doctor(const Options& options, bool as_json);
int op_list(const Options& options, bool as_json);
int op_explain(const Options& options, const std::string& name, const std::string& sample,
               bool as_json);
int inspect(const std::string& file, bool as_json);
int trace(const Options& options, const std::string& file, const std::vector<std::string>& program);
// An empty `output` is plugin.json beside the library, "-" standard output; an empty `id` is any.
int manifest(const std::string& library, const std::string& output, const std::string& id);
// Writes the project `into`/`id`; an empty `into` is the current folder.
int new_project(const std::string& kind, const std::string& id, const std::string& language,
                const std::string& into);

// Prints to standard output; JSON by itself, whatever bytes plugins have put into it.
void print(const std::string& text);
void print_json(const Json& json);

// "1 plugin", "2 plugins"
std::string count_text(size_t count, const std::string& noun);
// Items with ", " between them.
std::string joined(const std::vector<std::string>& items);
// A list of strings, or of objects with a member "name", as strings.
std::vector<std::string> names_of(const Json& list);

}  // namespace tenon::tools
