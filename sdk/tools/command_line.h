// SPDX-License-Identifier: Apache-2.0
// sdk/tools/command_line.h: what the command line of `tenon` and that of tenon-verify, the program
// it becomes for `tenon verify`, have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <exception>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "program.h"

namespace tenon::tools {

// Where CLI11 puts what it read.
struct CommandLine {
  Options options;
  bool json = false;
  std::function<int()> run;
};

inline constexpr const char* kCommandTitle =
    "Tenon: tensors and automatic differentiation, everything a plugin";
inline constexpr const char* kGoldenTitle =
    "Golden files: results of other programs that `tenon verify` compares with";
inline constexpr const char* kVerifyTitle =
    "Judge plugins: values, layouts, gradients, memory, of every op, optimizer and layer";

inline void add_options(CLI::App& app, CommandLine& line) {
  app.add_option("--plugin-path", line.options.plugin_paths,
                 "A folder that holds plugin folders, searched first; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--exclude", line.options.exclude,
                 "The id of a plugin to leave out; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--allowlist", line.options.allowlist,
                 "A lock file (`tenon plugin lock`): open only the libraries it names");
  app.require_subcommand(1);
}

// Programs that read JSON get it for failures too.
inline int report_failure(const CommandLine& line, const std::string& text, int status) {
  if (line.json) print_json(Json{{"error", text}});
  std::cerr << "tenon: " << text << '\n';
  return status;
}

// What stands where a command should, in words; empty if nothing does.
inline std::string unknown_command(const CLI::App& app) {
  const CLI::App* at = &app;
  std::string path = "tenon";
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    path += " " + at->get_name();
  }
  const std::vector<std::string> rest = app.remaining(true);
  std::string commands;
  for (const CLI::App* each : at->get_subcommands([](const CLI::App*) { return true; })) {
    if (each->get_group().empty()) continue;  // for our own children
    commands += (commands.empty() ? "" : ", ") + each->get_name();
  }
  if (commands.empty() || rest.empty() || rest.front().starts_with('-')) return "";
  return path + " has no command \"" + rest.front() + "\"; there are: " + commands;
}

// Returns the exit status.
inline int run_command_line(CLI::App& app, const CommandLine& line, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return line.run();
  } catch (const CLI::RequiredError& error) {
    const std::string unknown = unknown_command(app);
    if (unknown.empty()) return app.exit(error) == 0 ? kGood : kUsage;
    return report_failure(line, unknown, kUsage);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kGood : kUsage;
  } catch (const Failure& failure) {
    return report_failure(line, failure.text, failure.exit_status);
  } catch (const std::exception& error) {
    return report_failure(line, error.what(), kFindings);
  }
}

}  // namespace tenon::tools
