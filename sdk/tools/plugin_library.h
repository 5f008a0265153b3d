// SPDX-License-Identifier: Apache-2.0
// sdk/tools/plugin_library.h: what a plugin's library says about itself, once Tenon's own host has
// registered it, and the manifest that follows from it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "program.h"

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
  std::vector<std::string> vjps, devices;
  std::map<std::string, std::vector<std::string>> entries;  // of each kind: "optimizers" to names
  std::vector<std::string> required_ops;  // of others: without them the plugin is of no use
};

// Told what comes next, "running its init"; may not throw.
using PhaseFn = std::function<void(const char* phase)>;

// Has the library registered in a runtime without any other plugin, reads its tables, and releases
// it. It stays mapped, and its code may end the process. Throws Failure, with the host's words
// if that refuses it.
PluginFacts read_library(
    const std::string& path, const PhaseFn& at = [](const char*) {});

// Has it registered once more, beside those found plugins that offer nothing of what it offers:
// what it has for ops of theirs is checked against these. Throws Failure.
void register_beside_others(const std::string& path, const PluginFacts& facts,
                            const Options& options, const PhaseFn& at);

// The content of plugin.json, with an empty `sha256`, requiring nothing of the machine.
Json manifest_of(const PluginFacts& facts, const std::string& library);

}  // namespace tenon::tools
