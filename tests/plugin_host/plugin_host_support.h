// SPDX-License-Identifier: Apache-2.0
// tests/plugin_host/plugin_host_support.h: plugin folders made on the spot, and a host to open
// them.
#pragma once

#include <tenon/plugin.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"
#include "core/plugin/plugin_host.h"

namespace tenon::tests {

// A fresh folder that only its owner can write; removed with its contents at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const std::string& name = {}) const;
  std::string make(const std::string& name) const;  // a folder below, with the ones above it
  void write(const std::string& name, const std::string& bytes) const;
  std::string read(const std::string& name) const;

  // <name>/plugin.json, and beside it a copy of the fixture library, if it names one.
  void add_plugin(const std::string& name, const nlohmann::json& manifest,
                  const std::string& fixture = {}) const;

 private:
  std::filesystem::path root_;
};

// The manifest that is right for fixtures/good.so.
nlohmann::json good_manifest();

struct Counters {
  int inits = 0;
  int releases = 0;
};

// What a plugin gets to see; its fingerprint says "no sanitizer" as the fixtures do.
struct TestHost : tenon_host {
  TestHost();
  Counters counters;
};

// A registry, a plugin host over one folder, and the tenon_host they use.
struct World {
  explicit World(const Folder& folder, uint32_t policy = 0);
  explicit World(const plugin::HostOptions& options);

  TestHost host;
  registry::Registry registry{nullptr};
  std::unique_ptr<plugin::PluginHost> plugins;

  // Opens all, then: the state and reason of `id`.
  const plugin::Plugin& open(const std::string& id);
};

plugin::HostOptions only(const std::string& folder);

// The error `action` throws; a failed expectation where it throws none.
Error error_of(const std::function<void()>& action);

}  // namespace tenon::tests
