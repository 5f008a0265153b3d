// SPDX-License-Identifier: Apache-2.0
// core/registry/plugin.h: one plugin as the runtime knows it: what its manifest says, how far it
// came, and what its library offers.
#pragma once

#include <tenon/plugin.h>

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "core/registry/registry.h"

namespace tenon::registry {

struct Manifest {
  std::string id, version, license, library, sha256;
  uint32_t abi_major = 0, abi_minor = 0, required_minor = 0, draft = 0;
  struct OpName {
    std::string name;
    uint32_t revision = 1;
    std::string role;  // "", "copy", ...: name_of_role
  };
  struct KernelNames {
    std::string device;
    std::vector<std::string> ops;  // or "*"
    bool canonical = true;         // false: none of them has the flag CANONICAL
  };
  std::vector<OpName> ops;
  std::vector<KernelNames> kernels;
  std::vector<std::string> vjps, devices;
  std::array<std::vector<std::string>, kKindEnd> entries;  // by kind
  std::vector<std::string> required_ops, required_roles;
  std::vector<std::string> cpu_features, libraries;
  std::vector<std::string> packages;  // that bring the libraries, for people
};

// Refused: Tenon said no, before or after opening. Failed: the library or its code did.
// Deactivated: the program said no, for the rest of the runtime's life.
enum class PluginState : uint8_t { Found, Refused, Open, Failed, Deactivated };

// How far a refused or failed plugin came.
enum class PluginStage : uint8_t {
  None,
  Manifest,
  Policy,
  Requirement,
  Library,
  Handshake,
  Init,
  Registration
};

// One plugin of one runtime. Address stable; `self` and `tables` set when Open. While `state` is
// Found only the members above it may be read; afterwards nothing changes until the host dies, but
// that an Open plugin may become Deactivated.
struct Plugin {
  std::string id;
  std::string folder;
  std::string library;
  Manifest manifest;
  uint32_t order = 0;  // position in the search
  std::atomic<PluginState> state{PluginState::Found};
  PluginStage stage = PluginStage::None;  // if it was refused or failed
  std::string reason;                     // why refused or failed
  std::vector<std::string> report;        // what of it was passed over
  tenon_plugin interface {};              // what the query filled in
  bool mapped = false;                    // its library was opened, once at least
  void* self = nullptr;
  Tables tables;

  bool is_deactivated() const {
    return state.load(std::memory_order_acquire) == PluginState::Deactivated;
  }
};

}  // namespace tenon::registry
