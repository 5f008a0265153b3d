// SPDX-License-Identifier: Apache-2.0
// tests/command/command_support.cc: see command_support.h.
#include "tests/command/command_support.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

namespace fs = std::filesystem;

std::string read_file(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

std::vector<std::string> environment_with(const Environment& changes) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& [changed, value] : changes) replaced = replaced || changed == name;
    if (!replaced) all.push_back(text);
  }
  for (const auto& [name, value] : changes)
    all.push_back(std::string(name).append("=").append(value));
  return all;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (const std::string& text : strings) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

}  // namespace

nlohmann::json Done::json() const {
  nlohmann::json parsed = nlohmann::json::parse(out, nullptr, false);
  EXPECT_FALSE(parsed.is_discarded()) << "not JSON: " << out << err;
  return parsed;
}

Done run_program(const std::vector<std::string>& arguments, const Environment& environment) {
  const TemporaryFolder folder;
  const std::string out = folder.write("out", "");
  const std::string err = folder.write("err", "");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY, 0);
  const std::vector<std::string> variables = environment_with(environment);
  pid_t child = 0;
  const int error = posix_spawn(&child, arguments[0].c_str(), &actions, nullptr,
                                pointers(arguments).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  Done done;
  if (error != 0) {
    ADD_FAILURE() << arguments[0] << ": " << std::strerror(error);
    return done;
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  done.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  done.out = read_file(out);
  done.err = read_file(err);
  return done;
}

Done run_command(std::vector<std::string> arguments, const Environment& environment) {
  arguments.insert(arguments.begin(), command_path());
  return run_program(arguments, environment);
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = testing::TempDir() + "/tenon_command_XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  root_ = fs::canonical(pattern);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& bytes) const {
  const fs::path file = root_ / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
  return file.string();
}

std::string copy_plugin(const std::string& id, const std::string& folder, const std::string& from) {
  const fs::path target = fs::path(folder) / id;
  fs::create_directories(target);
  fs::copy(fs::path(from.empty() ? plugin_dir() : from) / id, target, fs::copy_options::recursive);
  return target.string();
}

std::string hostile_dir() { return std::string(test_plugin_dir()) + "/command"; }

bool is_for_another_processor(const nlohmann::json& plugin) {
  return plugin.at("state") == "refused" &&
         plugin.at("reason").get<std::string>().starts_with("it needs the CPU feature ");
}

nlohmann::json read_json(const std::string& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

}  // namespace tenon::tests
