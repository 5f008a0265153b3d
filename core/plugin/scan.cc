// SPDX-License-Identifier: Apache-2.0
// core/plugin/scan.cc: which folders are searched, and what their manifests say. Executes nothing.
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <tenon/tenon.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "core/base/error.h"
#include "core/files/descriptor.h"
#include "core/plugin/handshake.h"
#include "core/plugin/loader.h"
#include "core/plugin/manifest.h"
#include "core/plugin/plugin_host.h"
#include "core/plugin/policy.h"
#include "core/registry/checks.h"

namespace tenon::plugin {
namespace {

constexpr size_t kMaxManifestBytes = size_t{1} << 20;

std::string environment(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool examine(const std::string& path, struct stat& info) { return stat(path.c_str(), &info) == 0; }

std::string read_manifest(const std::string& path, const struct stat& info) {
  // A pipe by this name would hold up everybody.
  if (!S_ISREG(info.st_mode)) registry::refuse(path + ": is not a regular file");
  if (static_cast<size_t>(info.st_size) > kMaxManifestBytes) {
    registry::refuse(path + ": is larger than " + std::to_string(kMaxManifestBytes) + " bytes");
  }
  std::string text(static_cast<size_t>(info.st_size), '\0');
  const files::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) registry::refuse(path + ": cannot be read: " + std::strerror(errno));
  size_t used = 0;
  ssize_t got = 0;
  while (used < text.size() &&
         (got = ::read(file.get(), text.data() + used, text.size() - used)) > 0) {
    used += static_cast<size_t>(got);
  }
  if (got < 0) registry::refuse(path + ": cannot be read");
  text.resize(used);
  return text;
}

// Names of a folder's entries, sorted, so that a scan does not depend on the file system.
bool list_folder(const std::string& folder, std::vector<std::string>& names, std::string& problem) {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(opendir(folder.c_str()), closedir);
  if (stream == nullptr) {
    if (errno == ENOMEM) throw std::bad_alloc();  // says nothing about the folder
    problem = errno == ENOENT    ? "does not exist"
              : errno == ENOTDIR ? "is not a folder"
                                 : std::string("cannot be read: ") + std::strerror(errno);
    return false;
  }
  while (const dirent* entry = readdir(stream.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return true;
}

// Whoever built a library and forgot plugin.json is told so.
void note_library(SearchPath& path, const std::string& folder,
                  const std::vector<std::string>& names) {
  const auto library = std::find_if(names.begin(), names.end(),
                                    [](const std::string& name) { return name.ends_with(".so"); });
  if (library != names.end()) path.unlisted.push_back(folder + "/" + *library);
}

void add_user_path(std::vector<SearchPath>& paths) {
  const std::string data = environment("XDG_DATA_HOME");
  const std::string home = environment("HOME");
  if (!data.empty()) {
    paths.push_back({data + "/tenon/plugins", "user"});
  } else if (!home.empty()) {
    paths.push_back({home + "/.local/share/tenon/plugins", "user"});
  }
}

std::vector<SearchPath> search_paths(const HostOptions& options) {
  // The environment of a program that runs with another's rights belongs to its caller.
  const bool elevated = getauxval(AT_SECURE) != 0;
  std::vector<SearchPath> paths;
  for (const std::string& folder : options.paths) paths.push_back({folder, "option"});
  const std::string listed = environment("TENON_PLUGIN_PATH");
  if (options.environment && !listed.empty()) {
    for (size_t begin = 0; begin <= listed.size();) {
      const size_t end = std::min(listed.find(':', begin), listed.size());
      paths.push_back({listed.substr(begin, end - begin), "TENON_PLUGIN_PATH"});
      if (elevated) paths.back().problem = "ignored: this process runs with elevated rights";
      begin = end + 1;
    }
  }
  if (!options.default_paths) return paths;
  if (!elevated) add_user_path(paths);
  paths.push_back({"/usr/local/lib/tenon/plugins", "system"});
  paths.push_back({"/usr/lib/tenon/plugins", "system"});
  const std::string own = own_folder();
  if (!own.empty()) {
    paths.push_back({own.substr(0, own.rfind('/')) + "/plugins", "library"});
    paths.push_back({own + "/tenon/plugins", "library"});
  }
  return paths;
}

// What can be said against a plugin without opening it.
void check_found(Plugin& plugin, const HostOptions& options, const Allowlist& allowlist,
                 PathsOfNow& now, const tenon_host& host) {
  plugin.stage = Stage::Policy;
  if (std::find(options.exclude.begin(), options.exclude.end(), plugin.id) !=
      options.exclude.end()) {
    registry::refuse("excluded by name");
  }
  plugin.stage = Stage::Handshake;
  check_manifest_abi(plugin.manifest, host);
  plugin.stage = Stage::Library;
  if (struct stat info{}; !examine(plugin.library, info)) {
    registry::refuse("library " + plugin.library + " does not exist; plugin.json names it");
  }
  plugin.stage = Stage::Policy;
  if (options.policy == TENON_POLICY_OWNED) {
    now.check_owned(plugin.folder);
    now.check_owned(plugin.folder + "/plugin.json");
    now.check_owned(plugin.library);
  }
  if (options.policy == TENON_POLICY_ALLOWLIST) allowlist.hash_of(plugin.id);
  plugin.stage = Stage::Requirement;
  check_cpu_features(plugin.manifest.cpu_features);
  plugin.stage = Stage::None;
}

}  // namespace

void PluginHost::scan(const HostOptions& options) {
  paths_ = search_paths(options);
  PathsOfNow now;
  std::map<std::string, std::string> seen;  // real path -> as it was given first
  for (SearchPath& path : paths_) {
    if (!path.problem.empty()) continue;
    if (path.folder.empty()) {
      path.problem = "an empty entry, skipped";
    } else if (path.folder[0] != '/') {
      path.problem = "not an absolute path, skipped";
    } else if (path.folder.find('\0') != std::string::npos) {
      path.problem = "has a zero byte in it, skipped";
    } else {
      const std::string real = now.real_path(path.folder);
      const auto [first, is_new] = seen.emplace(real.empty() ? path.folder : real, path.folder);
      if (is_new) {
        scan_path(path, options, now);
      } else {
        path.problem = "the same as " + first->second;
      }
    }
  }
  list_names();
}

void PluginHost::scan_path(SearchPath& path, const HostOptions& options, PathsOfNow& now) {
  while (path.folder.size() > 1 && path.folder.back() == '/') path.folder.pop_back();
  struct stat info {};
  if (examine(path.folder + "/plugin.json", info)) {
    scan_folder(path.folder, info, path, options, now);
    return;
  }
  std::vector<std::string> names;
  if (!list_folder(path.folder, names, path.problem)) return;
  note_library(path, path.folder, names);
  for (const std::string& name : names) {
    const std::string folder = path.folder + "/" + name;
    std::vector<std::string> inside;
    std::string ignored;
    if (examine(folder + "/plugin.json", info)) {
      scan_folder(folder, info, path, options, now);
    } else if (list_folder(folder, inside, ignored)) {
      note_library(path, folder, inside);
    }
  }
}

void PluginHost::scan_folder(const std::string& folder, const struct stat& manifest,
                             SearchPath& path, const HostOptions& options, PathsOfNow& now) {
  auto plugin = std::make_unique<Plugin>();
  plugin->folder = folder;
  plugin->id = folder.substr(folder.rfind('/') + 1);
  plugin->order = static_cast<uint32_t>(plugins_.size());
  plugin->stage = Stage::Manifest;
  try {
    const std::string file = folder + "/plugin.json";
    plugin->manifest = parse_manifest(read_manifest(file, manifest), file);
    plugin->id = plugin->manifest.id;
    plugin->library = folder + "/" + plugin->manifest.library;
    const std::string real = now.real_path(plugin->library);
    if (!real.empty()) plugin->library = real;
    if (const Plugin* first = find(plugin->id)) {
      registry::refuse("another plugin with this id was found first in " + first->folder);
    }
    check_found(*plugin, options, allowlist_, now, host_);
  } catch (Error& error) {
    plugin->reason = std::move(error.message);
    plugin->state.store(State::Refused, std::memory_order_release);
    ++path.refused;
  }
  ++path.found;
  plugins_.push_back(std::move(plugin));
}

void PluginHost::list_names() {
  for (const auto& plugin : plugins_) {
    each_listed(plugin->manifest, [&](Listed kind, const std::string& name) {
      Plugins& plugins = names_[static_cast<size_t>(kind)][name];
      if (plugins.empty() || plugins.back() != plugin.get()) plugins.push_back(plugin.get());
    });
  }
}

}  // namespace tenon::plugin
