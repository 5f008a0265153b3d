// SPDX-License-Identifier: Apache-2.0
// tests/plugin_host/plugin_host_support.cc: see plugin_host_support.h.
#include "tests/plugin_host/plugin_host_support.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace tenon::tests {
namespace {

namespace fs = std::filesystem;

constexpr fs::perms kFolderRights = fs::perms::owner_all | fs::perms::group_read |
                                    fs::perms::group_exec | fs::perms::others_read |
                                    fs::perms::others_exec;
constexpr fs::perms kFileRights =
    fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read | fs::perms::others_read;

const void* get_interface(const tenon_host* host, const char* id, uint64_t id_length) {
  if (std::string_view(id, id_length) != "test.counters/1") return nullptr;
  return &static_cast<const TestHost*>(host)->counters;
}

}  // namespace

Folder::Folder() {
  std::string pattern = testing::TempDir() + "/tenon_plugin_host_XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  root_ = fs::canonical(pattern);
  fs::permissions(root_, kFolderRights);
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

std::string Folder::path(const std::string& name) const {
  return name.empty() ? root_.string() : (root_ / name).string();
}

std::string Folder::make(const std::string& name) const {
  fs::path each = root_;
  for (const auto& part : fs::path(name)) {
    each /= part;
    fs::create_directory(each);
    fs::permissions(each, kFolderRights);
  }
  return each.string();
}

void Folder::write(const std::string& name, const std::string& bytes) const {
  const fs::path file = root_ / name;
  std::ofstream(file, std::ios::binary) << bytes;
  fs::permissions(file, kFileRights);
}

std::string Folder::read(const std::string& name) const {
  std::ifstream file(root_ / name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void Folder::add_plugin(const std::string& name, const nlohmann::json& manifest,
                        const std::string& fixture) const {
  make(name);
  write(name + "/plugin.json", manifest.dump(2));
  const std::string library = manifest.value("library", "good.so");
  if (fixture.empty()) {
    write(name + "/" + library, "no library, and nobody looks");
    return;
  }
  const fs::path source = fs::path(TENON_FIXTURE_DIR) / (fixture + ".so");
  if (!fs::exists(source)) throw std::runtime_error(source.string() + " does not exist");
  fs::copy_file(source, root_ / name / library, fs::copy_options::overwrite_existing);
  fs::permissions(root_ / name / library, kFileRights);
}

nlohmann::json good_manifest() {
  return {{"id", "acme.good"},
          {"version", "1.2.3"},
          {"license", "Apache-2.0"},
          {"library", "good.so"},
          {"abi",
           {{"major", TENON_ABI_MAJOR},
            {"minor", TENON_ABI_MINOR},
            {"required_minor", TENON_ABI_MINOR},
            {"draft", TENON_ABI_DRAFT}}},
          {"ops", {{{"name", "acme.twice"}, {"revision", 1}}}},
          {"kernels", {{{"device", "toy"}, {"ops", {"acme.twice"}}}}},
          {"vjps", {"acme.twice"}},
          {"devices", {"toy"}}};
}

TestHost::TestHost() : tenon_host{} {
  struct_size = sizeof(tenon_host);
  abi_major = TENON_ABI_MAJOR;
  abi_minor = TENON_ABI_MINOR;
  fingerprint = {64, 0, TENON_SANITIZER_NONE, TENON_ABI_DRAFT};
  const unsigned char order[4] = {1, 2, 3, 4};
  std::memcpy(&fingerprint.byte_order, order, sizeof order);
  tenon_host::get_interface = tests::get_interface;
}

plugin::HostOptions only(const std::string& folder) {
  plugin::HostOptions options;
  options.paths = {folder};
  options.default_paths = false;
  options.environment = false;
  return options;
}

World::World(const Folder& folder, uint32_t policy) {
  plugin::HostOptions options = only(folder.path());
  options.policy = policy;
  plugins = std::make_unique<plugin::PluginHost>(options, registry, host);
}

World::World(const plugin::HostOptions& options)
    : plugins(std::make_unique<plugin::PluginHost>(options, registry, host)) {}

const plugin::Plugin& World::open(const std::string& id) {
  plugins->open_all();
  const plugin::Plugin* found = plugins->find(id);
  if (found == nullptr) throw std::runtime_error("no plugin " + id + " was found");
  return *found;
}

Error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace tenon::tests
