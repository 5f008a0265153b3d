// SPDX-License-Identifier: Apache-2.0
// sdk/tools/plugin_library.h: what a plugin's library says about itself, read without a runtime,
// and the manifest that follows from it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "command.h"

namespace tenon::tools {

struct PluginFacts {
  struct Op {
    std::string name;
    uint32_t revision = 1;
    std::string role;  // empty: none
  };
  std::string id, version, license;
  uint32_t abi_major = 0, abi_minor = 0, required_minor = 0, draft = 0;
  std::vector<Op> ops;
  std::map<std::string, std::vector<std::string>> kernels;  // device kind to ops
  std::set<std::string> canonical;  // device kinds with a kernel that has the flag CANONICAL
  std::vector<std::string> vjps, optimizers, schedules, datasets, layers, formats, devices;
  std::vector<std::string> required_ops;  // of others: without them the plugin is of no use
  std::vector<std::string> needed_cpu_features, needed_libraries;  // as its author says
};

// Told what comes next, "running its init"; may not throw.
using PhaseFn = std::function<void(const char* phase)>;

// Opens the library, runs its query and init, reads its tables, releases it. It stays mapped.
// Throws Failure.
PluginFacts read_library(
    const std::string& path, const PhaseFn& at = [](const char*) {});

// The content of plugin.json. An empty `sha256` is left out.
Json manifest_of(const PluginFacts& facts, const std::string& library, const std::string& sha256);

}  // namespace tenon::tools
