// SPDX-License-Identifier: Apache-2.0
// sdk/tools/trace.cc: `tenon trace`: runs a program with TENON_TRACE set.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "command.h"

namespace tenon::tools {
namespace {

namespace fs = std::filesystem;

void set(const char* name, const std::string& value) {
  if (setenv(name, value.c_str(), 1) != 0) throw Failure{std::string(name) + " cannot be set"};
}

std::string plugin_path(const Options& options) {
  std::string text;
  for (const std::string& path : options.plugin_paths) {
    text += (text.empty() ? "" : ":") + absolute_path(path);
  }
  const char* before = std::getenv("TENON_PLUGIN_PATH");
  if (before != nullptr && *before != 0) text += ":" + std::string(before);
  return text;
}

// The exit status, 128 + the signal's number for a program that a signal ended. `aside`: what it
// prints goes to standard error, as standard output is wanted for JSON.
int run(const std::vector<std::string>& program, bool aside) {
  std::vector<char*> arguments;
  for (const std::string& argument : program) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (aside) posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw Failure{program[0] + ": cannot be run: " + std::strerror(error)};
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw Failure{program[0] + ": lost: " + std::strerror(errno)};
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

int trace(const Options& options, const std::string& file, const std::vector<std::string>& program,
          bool as_json) {
  if (file.find("%p") != file.npos) {
    throw Failure{file + ": is the name of several files; run several processes with TENON_TRACE=" +
                  file + " instead"};
  }
  const fs::path path = fs::absolute(file).lexically_normal();
  std::error_code ignored;
  fs::remove(path, ignored);  // an old recording is not taken for this one
  set("TENON_TRACE", path.string());
  if (!options.plugin_paths.empty()) set("TENON_PLUGIN_PATH", plugin_path(options));
  const int status = run(program, as_json);
  if (status != 0) {
    std::cerr << "tenon: " << program[0] << " ended with status " << status << '\n';
  }
  if (!fs::exists(path)) {
    throw Failure{path.string() +
                  " was not written: the program created no runtime, did not "
                  "release it, or ignores the environment"};
  }
  if (as_json) print_json(Json{{"trace", path.string()}, {"program_status", status}});
  std::cerr << "tenon: trace in " << path.string() << " (open it with https://ui.perfetto.dev)\n";
  return status == 0 ? kGood : kFindings;
}

}  // namespace tenon::tools
