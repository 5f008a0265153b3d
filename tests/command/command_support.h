// SPDX-License-Identifier: Apache-2.0
// tests/command/command_support.h: runs the command `tenon` and keeps what it said.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tenon::tests {

struct Done {
  int status = -1;  // exit status, 128 + signal
  std::string out;
  std::string err;

  // Fails the test where `out` is not JSON.
  nlohmann::json json() const;
};

using Environment = std::vector<std::pair<std::string, std::string>>;

Done run_program(const std::vector<std::string>& arguments, const Environment& environment = {});
// The command with these arguments.
Done run_command(std::vector<std::string> arguments, const Environment& environment = {});

// An empty folder that goes with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name) const { return (root_ / name).string(); }
  // Writes a file, and the folders it lies in.
  std::string write(const std::string& name, const std::string& bytes) const;

 private:
  std::filesystem::path root_;
};

// Copies plugin `id` of `from` (the tree's own unless given) to `folder`/`id`; returns that.
std::string copy_plugin(const std::string& id, const std::string& folder,
                        const std::string& from = {});
// Where the plugins of tests/command/plugins are.
std::string hostile_dir();

// An entry of `tenon list` for a CPU feature that this machine lacks.
bool is_for_another_processor(const nlohmann::json& plugin);

nlohmann::json read_json(const std::string& path);

}  // namespace tenon::tests
